//! `klimt verify --attack`: what an attacker gains over the base rate, in words.

use crate::options::VerifyArgs;
use crate::risk::percent;
use crate::terminal::{count, table};
use klimt::Input;
use klimt::verify::{AttackFindings, AttackQuestion, attack_name};
use klimt_core::attack::{Linkage, Report, Score, SensitiveResult};
use klimt_core::risk::Share;
use klimt_core::{Error, Result};
use klimt_verify::against::IntersectionAttack;

/// Reads the flags; nothing when no attack is asked for.
pub fn question(args: &VerifyArgs) -> Result<Option<AttackQuestion>> {
    let attack = &args.attack;
    if args.release == "-" && attack.background.as_deref() == Some("-") {
        let message = "standard input can be read only once: write the background to a file";
        return Err(Error::input(message));
    }
    let question = AttackQuestion::parse(attack.confidence.as_deref(), attack.max_gain.as_deref())?;
    let background = attack.background.as_ref().map(Input::file).transpose()?;
    Ok(attack.attack.then_some(AttackQuestion { background, ..question }))
}

/// Says what to do where an attack gains too much.
pub fn advise(error: Error, found: Option<&AttackFindings>) -> Error {
    match found.and_then(AttackFindings::problem) {
        None => error,
        Some(_) => error.with_help(
            "ask for t-closeness or beta-likeness of the column, which limit what a group tells, for a larger k, or for \
             fewer quasi-identifiers",
        ),
    }
}

/// What was found.
pub fn describe(found: &AttackFindings) -> String {
    let mut text = String::from("\nAttacks\n");
    text.push_str(&describe_linkage(&found.report));
    for learnt in &found.report.sensitive {
        text.push_str(&describe_column(learnt, &found.report, found.confidence));
    }
    found.intersection.iter().for_each(|found| text.push_str(&describe_intersection(found)));
    if let Some(greatest) = &found.greatest_gain {
        text.push_str(&format!(
            "\nThe greatest gain is {}, by {} on {}.\n",
            signed(greatest.gain),
            attack_name(greatest.attack),
            greatest.column
        ));
    }
    text
}

fn describe_linkage(report: &Report) -> String {
    let Linkage { people, outside_domain, unmatched, singled_out, below_k, candidates, .. } = &report.linkage;
    let of_people =
        |part: u64| format!("{} ({})", count(part), percent(part as f64 / (*people).max(1) as f64));
    let who = if report.background {
        format!("{} people of the background are known by {}.", count(*people), report.known.join(", "))
    } else {
        format!("Everybody in the release ({} rows) is known by the published region.", count(*people))
    };
    let mut text = format!("linkage       {who}\n");
    if report.background {
        text.push_str(&format!("              {} are in no published region", of_people(*unmatched)));
        text.push_str(&format!(
            "; of {} a value is not in the release's domain.\n",
            of_people(*outside_domain)
        ));
    }
    let below = below_k.map_or(String::new(), |below| format!("; {} have fewer than k", of_people(below)));
    text.push_str(&format!(
        "              {} have one candidate and are singled out{below}.\n",
        of_people(*singled_out)
    ));
    if candidates.greatest > 0 {
        text.push_str(&format!(
            "              Whoever is linked has {} to {} candidates: at most {} for half of the people, {:.1} on average.\n",
            count(candidates.least),
            count(candidates.greatest),
            count(candidates.median),
            candidates.average
        ));
    }
    let expected = |number: f64| format!("{:.1} ({})", number, percent(number / (*people).max(1) as f64));
    text.push_str(&format!(
        "              Picking a candidate at random finds {} of them",
        expected(report.linkage.expected_found)
    ));
    if report.background {
        let unsure = expected(report.linkage.expected_found_if_unsure);
        text.push_str(&format!(" if all are in the release, {unsure} if that is not known"));
    }
    text.push_str(".\n");
    text
}

fn describe_column(learnt: &SensitiveResult, report: &Report, confidence: Share) -> String {
    let people = report.linkage.people.max(1) as f64;
    let of_people = |part: u64| format!("{} ({})", count(part), percent(part as f64 / people));
    let mut text = format!(
        "\n{}\n  {} people whose value is certain, as all candidates share it; {} with more than {confidence} confidence.\n",
        learnt.column,
        of_people(learnt.certain),
        of_people(learnt.confident)
    );
    let shown = |share: Option<f64>| share.map_or("-".to_string(), percent);
    let heading = ["  guess", "right", "gain", "confidence", "how"].map(String::from).to_vec();
    let how = "the commonest value of the release, for everybody";
    let base = ["  base rate", &shown(learnt.base_accuracy), "-", &percent(learnt.base_rate), how];
    let mut rows = vec![heading, base.map(String::from).to_vec()];
    rows.extend(learnt.attacks.iter().map(|score| row(score, &shown)));
    text.push_str(&table(&rows));
    if learnt.truths == 0 {
        text.push_str("  Nobody's true value is known: gains are what the attacker believes, the confidence less the base rate.\n");
    } else if report.background && learnt.truths < report.linkage.people {
        text.push_str(&format!(
            "  Marked on {} people who are linked and whose true value is known.\n",
            count(learnt.truths)
        ));
    }
    text
}

fn row(score: &Score, shown: &dyn Fn(Option<f64>) -> String) -> Vec<String> {
    let how = match score.attack {
        "group" => "the commonest value among the candidates",
        "naive-bayes" => "what the release teaches about each quasi-identifier, without linking anybody",
        _ => "who of a group has which of its values, learnt from all groups",
    };
    let name = format!("  {}", attack_name(score.attack));
    vec![name, shown(score.accuracy), signed(score.gain), percent(score.confidence), how.to_string()]
}

fn signed(gain: f64) -> String {
    let text = percent(gain.abs());
    match text.as_str() {
        "0.00%" => text,
        _ if gain < 0.0 => format!("-{text}"),
        _ => text,
    }
}

fn describe_intersection(found: &IntersectionAttack) -> String {
    let IntersectionAttack {
        rows,
        candidates_alone,
        candidates_together,
        singled_out_alone,
        singled_out_together,
        ..
    } = found;
    if *rows == 0 {
        return "\nintersection  no row is in two of the files: there is nothing to intersect\n".to_string();
    }
    let mut text = format!(
        "\nintersection  {} rows are in two or more files. Their candidates are {candidates_alone:.1} on average in the newest \
         file alone, {candidates_together:.1} in all of them; {} are singled out alone, {} together.\n",
        count(*rows),
        count(*singled_out_alone),
        count(*singled_out_together),
    );
    for column in &found.sensitive {
        text.push_str(&format!(
            "              {}: certain for {} rows alone, {} together; the commonest candidate is right for {} alone, {} \
             together, {} over the base rate.\n",
            column.column,
            count(column.certain_alone),
            count(column.certain_together),
            percent(column.right_alone),
            percent(column.right_together),
            signed(column.gain),
        ));
    }
    text
}
