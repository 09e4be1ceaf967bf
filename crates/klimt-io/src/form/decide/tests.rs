use super::*;

fn plan(name: &str) -> ColumnPlan {
    let spec = Some(ColumnSpec::new(name, Role::QuasiIdentifier));
    ColumnPlan { spec, form: FormSpec::Recognise, ..ColumnPlan::default() }
}

fn evidence(texts: &[&str]) -> Option<FormEvidence> {
    let mut evidence = FormEvidence::default();
    texts.iter().for_each(|text| evidence.add(text.as_bytes()));
    Some(evidence)
}

fn decided(name: &str, texts: &[&str]) -> Result<FormDecision> {
    decide("t.csv", &[plan(name)], &[evidence(texts)]).map(|found| found[0])
}

fn form(texts: &[&str]) -> FormDecision {
    decided("x", texts).unwrap()
}

const COMMA: FormDecision = FormDecision::Rewrite(ValueForm::Number(DecimalMark::Comma));
const POINT: FormDecision = FormDecision::Rewrite(ValueForm::Number(DecimalMark::Point));

fn date(order: DateOrder) -> FormDecision {
    FormDecision::Rewrite(ValueForm::Date(order))
}

#[test]
fn numbers_are_read_by_all_values() {
    assert_eq!(form(&["1,5", "2"]), COMMA);
    assert_eq!(form(&["1,234", "2,5"]), COMMA);
    assert_eq!(form(&["1,234", "2.5"]), POINT);
    assert_eq!(form(&["1,234", "1,234.5"]), POINT);
    assert_eq!(form(&["1.234", "1.234,5"]), COMMA);
    assert_eq!(form(&["1 234", "5"]), POINT);
    assert_eq!(form(&["1.5", "2"]), FormDecision::AsItIs);
    assert_eq!(form(&["1.234", "5"]), FormDecision::AsItIs);
    assert_eq!(form(&["1,5", "x"]), FormDecision::AsItIs);
    assert_eq!(form(&["1,5", "2.5"]), FormDecision::AsItIs);
    assert_eq!(form(&["1,5", "n/a", "-", "NaN"]), COMMA);
    assert_eq!(form(&["n/a"]), FormDecision::AsItIs);
    assert_eq!(form(&[]), FormDecision::AsItIs);
}

#[test]
fn dates_are_read_by_all_values() {
    assert_eq!(form(&["01.02.2020"]), date(DateOrder::DayMonthYear));
    assert_eq!(form(&["01/02/2020", "13/02/2020"]), date(DateOrder::DayMonthYear));
    assert_eq!(form(&["01/02/2020", "02/13/2020"]), date(DateOrder::MonthDayYear));
    assert_eq!(form(&["2020/02/01"]), date(DateOrder::YearMonthDay));
    assert_eq!(form(&["05/05/2020"]), date(DateOrder::DayMonthYear));
    assert_eq!(form(&["13/02/2020", "02/13/2020"]), FormDecision::AsItIs);
    assert_eq!(form(&["2020-02-01", "2020-02-01"]), FormDecision::AsItIs);
    assert_eq!(form(&["2020-02-01 10:30:00"]), FormDecision::AsItIs);
    assert_eq!(form(&["20200201"]), FormDecision::AsItIs);
    assert_eq!(form(&["01.02.2020", "01.02.2020 10:30"]), FormDecision::AsItIs);
}

#[test]
fn two_readings_of_all_values_are_an_error_that_names_the_choices() {
    for (texts, flag) in [(&["1,234", "5,678"][..], "decimal"), (&["01/02/2020", "03/04/2020"], "date-form")]
    {
        let error = decided("x", texts).unwrap_err();
        assert!(error.message().starts_with("t.csv: column x: its values could each be a "), "{error:?}");
        let help = error.help(klimt_core::Words::Flags).join("\n");
        assert!(help.contains(&format!("--{flag} x=")) && help.contains("--type x=text"), "{help}");
        assert!(!help.contains("234") && !error.message().contains("2020"));
    }
    let both = decide("t.csv", &[plan("x"), plan("y")], &[evidence(&["1,234"]), evidence(&["01/02/2020"])]);
    assert!(both.unwrap_err().message().starts_with("2 problems"));
}

#[test]
fn a_point_may_part_thousands_where_another_column_has_decimal_commas() {
    let two =
        |texts: &[&str]| decide("t.csv", &[plan("x"), plan("y")], &[evidence(&["1.234"]), evidence(texts)]);
    assert_eq!(two(&["2.5"]).unwrap(), [FormDecision::AsItIs, FormDecision::AsItIs]);
    assert!(two(&["2,5"]).unwrap_err().message().contains("column x"));
}

#[test]
fn codes_of_digits_are_no_numbers() {
    assert_eq!(form(&["02174", "53703"]), FormDecision::Codes);
    assert_eq!(form(&["53703", "53704"]), FormDecision::AsItIs);
    let decided = |name: &str, texts: &[&str]| {
        let mut plan = plan(name);
        plan.spec.as_mut().unwrap().role = Role::Insensitive;
        decide("t.csv", &[plan], &[evidence(texts)]).map(|found| found[0])
    };
    assert_eq!(super::tests::decided("zip", &["53703", "53704"]).unwrap(), FormDecision::AsItIs);
    for name in ["zip", "PLZ", "zip_code", "homePostcode", "postal code", "ICD-Code", "zipcode"] {
        assert_eq!(decided(name, &["53703", "53704"]).unwrap(), FormDecision::Codes, "{name}");
    }
    for name in ["gzip", "decode", "age", "codes2"] {
        assert_eq!(decided(name, &["53703", "53704"]).unwrap(), FormDecision::AsItIs, "{name}");
    }
    assert_eq!(decided("zip", &["53703", "537"]).unwrap(), FormDecision::AsItIs);
    assert_eq!(decided("code", &["1", "2"]).unwrap(), FormDecision::AsItIs);
    assert_eq!(form(&["0", "1"]), FormDecision::AsItIs);
    assert_eq!(form(&["-1", "07"]), FormDecision::AsItIs);
    for role in [Role::Sensitive, Role::Target] {
        let mut plan = plan("plz");
        plan.spec.as_mut().unwrap().role = role;
        let found = decide("t.csv", &[plan], &[evidence(&["02174", "53703"])]).unwrap();
        assert_eq!(found, [FormDecision::AsItIs], "{role:?}");
    }
}

#[test]
fn what_is_said_of_a_column_holds() {
    let commas = || evidence(&["1,5"]);
    let of = |change: &dyn Fn(&mut ColumnSpec)| {
        let mut plan = plan("x");
        change(plan.spec.as_mut().unwrap());
        decide("t.csv", &[plan], &[commas()]).unwrap()[0]
    };
    assert_eq!(of(&|_| {}), COMMA);
    assert_eq!(of(&|spec| spec.type_spec = Some(ValueType::Decimal.into())), COMMA);
    assert_eq!(of(&|spec| spec.type_spec = Some(ValueType::Text.into())), FormDecision::AsItIs);
    assert_eq!(of(&|spec| spec.type_spec = Some(ValueType::Date.into())), FormDecision::AsItIs);
    assert_eq!(of(&|spec| spec.order = Some(vec!["1,5".into()])), FormDecision::AsItIs);
    assert_eq!(of(&|spec| spec.order = Some(vec!["1.5".into()])), COMMA);
    let values = |text: &str| Some(DeclaredDomain::Values(vec!["2".into(), text.into()]));
    assert_eq!(of(&|spec| spec.declared = values("1,5")), FormDecision::AsItIs);
    assert_eq!(of(&|spec| spec.declared = values("1.5")), COMMA);
    assert_eq!(of(&|spec| spec.published = true), FormDecision::AsItIs);
    let given = ColumnPlan { form: FormSpec::AsItIs, ..plan("x") };
    assert_eq!(decide("t.csv", &[given], &[commas()]).unwrap(), [FormDecision::AsItIs]);
}
