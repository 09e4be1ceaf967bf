//! Runs a command and measures what it took.

use std::process::Command;

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
pub fn measure(command: &[String]) -> Result<Cost, String> {
    let output = Command::new("python3").args(["-c", RUNNER]).args(command).output();
    let output = output.map_err(|e| format!("python3 is needed to measure: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found: serde_json::Value = serde_json::from_str(text.trim()).map_err(|_| {
        format!("{} could not be run: {}", command[0], String::from_utf8_lossy(&output.stderr))
    })?;
    let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
    if found["status"] != 0 {
        return Err(format!("{} failed: {}", command.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(Cost { wall: number("wall"), cpu: number("cpu"), memory: number("memory") })
}

/// The median of each measure: one slow run of a shared machine does not move it.
pub fn median(costs: &[Cost]) -> Cost {
    let middle = |of: fn(&Cost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Cost { wall: middle(|c| c.wall), cpu: middle(|c| c.cpu), memory: middle(|c| c.memory) }
}
