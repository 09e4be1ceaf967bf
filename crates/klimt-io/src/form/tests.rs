//! Tables in many forms are read as one table.

use super::*;
use crate::csv::{DialectSpec, ReadOptions};
use crate::room::{Loaded, SpillBudget};
use crate::source::{ColumnPlan, ReadReport, Source};
use klimt_core::job::Unobserved;
use klimt_core::memory::Pool;
use klimt_core::spill::SpillFolder;
use klimt_core::table::{ColumnSpec, Role, Table};
use klimt_core::{Result, Words};
use std::io::Cursor;

fn plan_of(name: &str, role: Role) -> ColumnPlan {
    let form = FormSpec::Recognise;
    ColumnPlan { form, ..ColumnPlan::of(Some(ColumnSpec::new(name, role))) }
}

fn source(text: &str) -> Source {
    Source::of_reader("t.csv", Box::new(Cursor::new(text.as_bytes().to_vec())), DialectSpec::default())
        .unwrap()
}

fn read_plan(text: &str, plan: &[ColumnPlan], threads: usize) -> Result<(Table, ReadReport)> {
    source(text).read(plan, &ReadOptions { missing: &[], threads, observer: &Unobserved })
}

fn read(text: &str, role: Role) -> Result<(Vec<Vec<String>>, ReadReport)> {
    let plan: Vec<ColumnPlan> = source(text).columns().iter().map(|name| plan_of(name, role)).collect();
    read_plan(text, &plan, 2).map(|(table, report)| (texts(&table), report))
}

fn texts(table: &Table) -> Vec<Vec<String>> {
    let text = |column: &klimt_core::table::Column, row| {
        let mut text = Vec::new();
        column.write_text(row, &mut text);
        String::from_utf8(text).unwrap()
    };
    table.columns().iter().map(|column| (0..table.rows()).map(|row| text(column, row)).collect()).collect()
}

const ROLES: [Role; 3] = [Role::QuasiIdentifier, Role::Sensitive, Role::Insensitive];

#[test]
fn every_role_gets_one_spelling() {
    for role in ROLES {
        let (columns, report) = read("a;b\n1.234,50;31.12.2020\n7;1.2.20\n;\n", role).unwrap();
        assert_eq!(columns, [["1234.50", "7", ""], ["2020-12-31", "2020-02-01", ""]], "{role:?}");
        let forms = report.recognised.forms;
        let number = ValueForm::Number(DecimalMark::Comma);
        let date = ValueForm::Date(DateOrder::DayMonthYear);
        assert_eq!(forms, [("a".to_string(), number), ("b".to_string(), date)]);
        let (columns, report) = read("a;b\n1234.50;2020-12-31\n7;2020-02-01\n;\n", role).unwrap();
        assert_eq!(columns, [["1234.50", "7", ""], ["2020-12-31", "2020-02-01", ""]], "{role:?}");
        assert!(report.recognised.forms.is_empty());
    }
}

/// The value that decides stands behind all that is looked at when the file is opened, and more kept texts than a
/// dictionary holds stand before it.
#[test]
fn the_last_value_decides() {
    let rows = |last: &str| {
        let mut text = String::from("a;b\n");
        (0..200_000).for_each(|row| {
            text.push_str(&format!(
                "{},{:03};0{}/0{}/2020\n",
                row % 900 + 1,
                row % 1000,
                row % 9 + 1,
                row % 7 + 1
            ))
        });
        text + last
    };
    for role in [Role::Insensitive, Role::Sensitive] {
        for (last, first) in
            [("0,5;13/01/2020\n", ["1.000", "2020-01-01"]), ("0.5;01/13/2020\n", ["1000", "2020-01-01"])]
        {
            for threads in [1, 3] {
                let plan = [plan_of("a", role), plan_of("b", role)];
                let (table, _) = read_plan(&rows(last), &plan, threads).unwrap();
                let columns = texts(&table);
                assert_eq!([&columns[0][0], &columns[1][0]], first, "{last}");
                assert_eq!(columns[1][1], "2020-02-02");
                assert_eq!(columns[1][8], if last.starts_with("0,") { "2020-02-09" } else { "2020-09-02" });
            }
        }
    }
    assert!(read(&rows(""), Role::Sensitive).unwrap_err().message().starts_with("2 problems"));
}

#[test]
fn a_table_on_disk_is_read_in_the_same_way() {
    let mut text = String::from("a;b;c\n");
    (0..60_000u32).for_each(|row| {
        let (day, month) = (row % 28 + 1, row % 12 + 1);
        let thousands = row * 7919 % 60_000;
        text.push_str(&format!(
            "{}.{:03},{:02};{day}.{month}.{};{}\n",
            thousands / 1000 + 1,
            thousands % 1000,
            row % 100,
            1950 + row % 70,
            row % 3
        ));
    });
    let plan = ["a", "b", "c"].map(|name| plan_of(name, Role::QuasiIdentifier));
    let options = ReadOptions { missing: &[], threads: 2, observer: &Unobserved };
    let pool = Pool::new(3 << 20);
    let folder = SpillFolder::within(&std::env::temp_dir());
    let room = SpillBudget { pool: &pool, folder: &folder };
    let Loaded::Spilled(spilled) = source(&text).read_within(&plan, &options, &room).unwrap() else {
        panic!("the table should not fit")
    };
    let forms: Vec<&str> = spilled.report().recognised.forms.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(forms, ["a", "b"]);
    let (table, _) = read_plan(&text, &plan, 2).unwrap();
    for (held, kept) in table.columns().iter().zip(spilled.frame().columns()) {
        let (held, kept) = (held.coded().unwrap().0, kept.coded().unwrap().0);
        assert_eq!(held.value_type(), kept.value_type());
        assert!(held.value_type().is_ordered());
        assert_eq!(held.text(0), kept.text(0));
    }
}

#[test]
fn what_stands_for_missing_values_says_nothing() {
    let mut plan = [plan_of("a", Role::QuasiIdentifier), plan_of("b", Role::QuasiIdentifier)];
    plan[0].missing = vec!["none given".into(), "99.9".into()];
    let text = "a;b\n1,5;x\nnone given;x\n99.9;none given\n";
    let (table, report) = read_plan(text, &plan, 2).unwrap();
    assert_eq!(texts(&table), [["1.5", "", ""], ["x", "x", "none given"]]);
    assert_eq!(report.recognised.forms.len(), 1);
}

#[test]
fn values_that_are_not_of_a_declared_form_are_counted_and_named_by_line() {
    let text = "a;b\n1,5;\"x\ny\"\n1.5;x\nn/a;x\n;x\n1,5x;x\n";
    for role in ROLES {
        let declared = ValueForm::Number(DecimalMark::Comma);
        let plan = [
            ColumnPlan { form: FormSpec::Declared(declared), ..plan_of("a", role) },
            plan_of("b", Role::Insensitive),
        ];
        let error = read_plan(text, &plan, 2).unwrap_err();
        let message = error.worded(Words::Flags);
        assert_eq!(
            message,
            "t.csv: column a: 3 values are not numbers with a decimal comma, as --decimal a=, says: lines 4, 5, 7",
            "{role:?}"
        );
        assert!(error.help(Words::Flags)[0].contains("--missing a=TEXT"));
    }
    let many = "a\n".to_string() + &"x1\n".repeat(20);
    let declared = FormSpec::Declared(ValueForm::Date(DateOrder::YearMonthDay));
    let plan = [ColumnPlan { form: declared, ..plan_of("a", Role::Sensitive) }];
    let message = read_plan(&many, &plan, 2).unwrap_err().worded(Words::Flags);
    assert!(message.contains("20 values are not dates") && message.ends_with("10, 11 and more"), "{message}");
    let (table, _) = read_plan("a\n20200201\n20191231\n", &plan, 2).unwrap();
    assert_eq!(texts(&table), [["2020-02-01", "2019-12-31"]]);
}

#[test]
fn a_declared_form_decides_what_values_leave_open() {
    for (form, text, expected) in [
        (ValueForm::Number(DecimalMark::Comma), "1,234", "1.234"),
        (ValueForm::Number(DecimalMark::Point), "1,234", "1234"),
        (ValueForm::Number(DecimalMark::Comma), "1.234", "1234"),
        (ValueForm::Date(DateOrder::DayMonthYear), "01/02/2020", "2020-02-01"),
        (ValueForm::Date(DateOrder::MonthDayYear), "01/02/2020", "2020-01-02"),
    ] {
        let plan = [ColumnPlan { form: FormSpec::Declared(form), ..plan_of("a", Role::Insensitive) }];
        let (table, report) = read_plan(&format!("a\n\"{text}\"\n"), &plan, 1).unwrap();
        assert_eq!(texts(&table), [[expected]]);
        assert_eq!(report.recognised.forms, [("a".to_string(), form)]);
    }
}

#[test]
fn codes_of_digits_are_texts() {
    for (role, first) in
        [(Role::QuasiIdentifier, "03703"), (Role::Insensitive, "03703"), (Role::Insensitive, "53703")]
    {
        let (columns, report) = read(&format!("zip;n\n{first};1\n53704;2\n"), role).unwrap();
        assert_eq!(columns[0], [first, "53704"]);
        assert_eq!(report.recognised.codes, ["zip"]);
    }
    let plan = [plan_of("x", Role::QuasiIdentifier)];
    let (table, _) = read_plan("x\n02174\n53703\n", &plan, 1).unwrap();
    assert!(!table.domain(0).value_type().is_ordered());
    let mut typed = plan_of("zip", Role::QuasiIdentifier);
    typed.spec.as_mut().unwrap().type_spec = Some(klimt_core::table::ValueType::Integer.into());
    let (table, report) = read_plan("zip\n53703\n53704\n", &[typed], 1).unwrap();
    assert!(table.domain(0).value_type().is_ordered() && report.recognised.codes.is_empty());
}

#[test]
fn a_few_texts_among_foreign_numbers_are_doubted() {
    for texts in ["1,5\n2,5\n3,5\nx", "31.12.2020\n1.2.2020\n3.2.2020\nx"] {
        let mut plan = plan_of("a", Role::QuasiIdentifier);
        plan.spec.as_mut().unwrap().guard = klimt_core::table::Guard::Refuse;
        let error = read_plan(
            &format!("a;b\n{}\n", texts.replace('\n', ";1\n") + ";1"),
            &[plan, plan_of("b", Role::Insensitive)],
            1,
        )
        .unwrap_err();
        assert!(error.message().ends_with("as all others are: line 5"), "{error:?}");
    }
}
