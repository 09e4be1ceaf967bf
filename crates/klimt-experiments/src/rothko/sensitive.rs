//! What sensitive columns with many values cost when the table does not fit: CPU within each budget beside that in memory.

use crate::measure::{Cost, measure};
use crate::tables::Places;

/// The columns of the generated table that are quasi-identifiers beside the sensitive column `loan`, which has about as
/// many values as there are rows to two.
const COLUMNS: &str = "salary,commission,age,elevel,car,zipcode,hvalue,hyears";

/// What is required, each beside k = 100.
const REQUIREMENTS: [&str; 8] = [
    "--l-diversity=distinct:5",
    "--l-diversity=entropy:5",
    "--l-diversity=recursive:3:4",
    "--t-closeness=0.3:ordered",
    "--t-closeness=0.3:equal",
    "--alpha=0.2",
    "--beta-likeness=2",
    "--delta-disclosure=1",
];

/// The budgets, in megabytes.
const BUDGETS: [u64; 6] = [16, 32, 64, 128, 256, 512];

/// A run must take no more than so many times the CPU of the run in memory.
const MOST: f64 = 3.0;

fn command(
    places: &Places,
    rows: u64,
    requirement: Option<&str>,
    rest: &[String],
) -> Result<Vec<String>, String> {
    let input = places.agrawal(rows)?.path.display().to_string();
    let out = places.folder.join("out-sensitive.csv").display().to_string();
    let mut command = vec![places.klimt.display().to_string(), "anonymize".to_string(), input];
    command.extend([format!("--qi={COLUMNS}"), "--sensitive=loan".to_string()]);
    command.extend(["--other=drop", "--quiet", "-k=100"].map(String::from));
    command.extend(["-o".to_string(), out]);
    command.extend(requirement.map(String::from));
    command.extend(rest.iter().cloned());
    Ok(command)
}

/// The least of a few runs: other work on the machine only ever adds to it.
fn least(command: &[String], runs: usize) -> Result<Cost, String> {
    let mut found = measure(command)?;
    for _ in 1..runs {
        let again = measure(command)?;
        if again.cpu < found.cpu {
            found = again;
        }
    }
    Ok(found)
}

/// Prints CPU seconds in memory and, for every budget, how many times as many it takes there, with the resident memory. A
/// budget that is too small for what is required shows the exit code that says so.
pub fn sensitive(
    places: &Places,
    rows: u64,
    threads: usize,
    runs: usize,
    algorithm: &str,
) -> Result<(), String> {
    println!(
        "\n{rows} rows, k = 100, loan sensitive, {algorithm}: CPU s in memory; CPU there / in memory (resident MB)"
    );
    print!("{:<30} {:>8}", "", "memory");
    BUDGETS.iter().for_each(|budget| print!(" {:>13}", format!("{budget}MB")));
    println!();
    let mut worst: f64 = 0.0;
    for requirement in std::iter::once(None).chain(REQUIREMENTS.map(Some)) {
        let flags = |rest: &[String]| {
            command(places, rows, requirement, &[&[format!("--threads={threads}")], rest].concat())
        };
        let held = least(&flags(&["--algorithm=mondrian".to_string(), "--memory=90%".to_string()])?, runs)?;
        print!("{:<30} {:>8.2}", requirement.unwrap_or("k only"), held.cpu);
        for budget in BUDGETS {
            let within = [format!("--algorithm={algorithm}"), format!("--memory={budget}MB")];
            match least(&flags(&within)?, runs) {
                Ok(cost) => {
                    worst = worst.max(cost.cpu / held.cpu);
                    print!(" {:>13}", format!("{:.2} ({:.0})", cost.cpu / held.cpu, cost.memory));
                }
                Err(_) => print!(" {:>13}", "too little"),
            }
        }
        println!();
    }
    let verdict = if worst <= MOST { "holds" } else { "does not hold" };
    println!("at most {MOST} times the CPU of the run in memory: {verdict} (the most is {worst:.2})");
    Ok(())
}
