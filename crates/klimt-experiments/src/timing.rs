//! What work takes: that of a whole process, and that of a part of this one.

use crate::Result;
use std::process::Command;
use std::time::Instant;

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds on the clock.
    pub wall: f64,
    /// Seconds of all processors, in the program and in the system.
    pub cpu: f64,
    /// The most memory that was resident, in megabytes.
    pub memory: f64,
}

/// The titles of what a run took, with the digits of each.
pub const COST: [(&str, usize); 3] = [("wall s", 2), ("cpu s", 2), ("memory MB", 0)];

/// Starts a command, waits for it, and prints what the system says that it took.
const RUNNER: &str = r#"
import json, os, subprocess, sys, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(json.dumps({"wall": time.monotonic() - start, "cpu": used.ru_utime + used.ru_stime,
                  "memory": used.ru_maxrss / 1024, "status": os.waitstatus_to_exitcode(status)}))
"#;

/// Runs a command; it must succeed.
pub fn measure(command: &[String]) -> Result<Cost> {
    let output = Command::new("python3").args(["-c", RUNNER]).args(command).output();
    let output = output.map_err(|e| format!("python3 is needed to measure: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found: serde_json::Value = serde_json::from_str(text.trim()).map_err(|_| {
        format!("{} could not be run: {}", command[0], String::from_utf8_lossy(&output.stderr))
    })?;
    let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
    if found["status"] != 0 {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} failed: {told}", command.join(" ")).into());
    }
    Ok(Cost { wall: number("wall"), cpu: number("cpu"), memory: number("memory") })
}

/// The median of each measure: one slow run of a shared machine does not move it.
fn median(costs: &[Cost]) -> Cost {
    let middle = |of: fn(&Cost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Cost { wall: middle(|c| c.wall), cpu: middle(|c| c.cpu), memory: middle(|c| c.memory) }
}

/// Lets so many contenders run in turn, several times, and gives the median of each; nothing of one that never ran.
pub fn in_turn(
    runs: usize,
    contenders: usize,
    mut run: impl FnMut(usize) -> Result<Option<Cost>>,
) -> Result<Vec<Option<Cost>>> {
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); contenders];
    for _ in 0..runs.max(1) {
        for (contender, costs) in costs.iter_mut().enumerate() {
            costs.extend(run(contender)?);
        }
    }
    Ok(costs.iter().map(|costs| (!costs.is_empty()).then(|| median(costs))).collect())
}

/// What work inside this process took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Seconds on the clock.
    pub wall: f64,
    /// Seconds of all processors in the program.
    pub user: f64,
    /// Seconds of all processors in the system.
    pub kernel: f64,
}

impl Spent {
    /// Seconds of all processors.
    pub fn cpu(&self) -> f64 {
        self.user + self.kernel
    }

    /// The same as that of a process, whose memory is not known.
    pub fn cost(&self) -> Cost {
        Cost { wall: self.wall, cpu: self.cpu(), memory: f64::NAN }
    }

    /// Seconds in which one thread of work waited for something else.
    pub fn waited(&self) -> f64 {
        (self.wall - self.cpu()).max(0.0)
    }
}

/// Seconds of all processors that this process has taken, in the program and in the system; unknown where the system does
/// not say. The system counts hundredths.
fn processor_seconds() -> (f64, f64) {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let mut ticks = fields.skip(11).map(|ticks| ticks.parse::<f64>().map_or(f64::NAN, |ticks| ticks / 100.0));
    (ticks.next().unwrap_or(f64::NAN), ticks.next().unwrap_or(f64::NAN))
}

/// Does the work, and says what it took.
pub fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Spent)> {
    let (wall, (user, kernel)) = (Instant::now(), processor_seconds());
    let done = work()?;
    let (wall, after) = (wall.elapsed().as_secs_f64(), processor_seconds());
    Ok((done, Spent { wall, user: after.0 - user, kernel: after.1 - kernel }))
}

/// How far a difference of two readings of user and system time can be off: a hundredth of a second each.
pub const DOUBT: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_run_in_turn_and_one_slow_run_counts_for_nothing() {
        let mut order = Vec::new();
        let costs = in_turn(3, 2, |contender| {
            order.push(contender);
            let wall = [1.0, 9.0, 2.0][order.len() / 2 % 3];
            Ok((contender == 0).then_some(Cost { wall, cpu: 1.0, memory: 1.0 }))
        });
        let costs = costs.unwrap();
        assert_eq!(order, [0, 1, 0, 1, 0, 1]);
        assert!(costs[0].is_some_and(|cost| cost.wall == 2.0) && costs[1].is_none());
    }
}
