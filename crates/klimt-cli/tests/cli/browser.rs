//! Pages in a real browser: they load without complaint, sort, explain themselves, fit and can be read in the dark.
//!
//! Where there is no Chromium the tests say so and are skipped.

use crate::common::{Place, people};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Chromium, where it is installed.
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let named = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| named.map(|name| folder.join(name)))
        .find(|file| file.is_file());
    if found.is_none() {
        println!("skipped: there is no chromium (apt-get install chromium)");
    }
    found
}

/// What a page is after its scripts have run, and what the browser complained about.
fn seen(place: &Place, page: &str, flags: &[&str]) -> Option<(String, String)> {
    let browser = chromium()?;
    let profile = tempfile::TempDir::new().unwrap();
    let (dom, log) = (profile.path().join("dom"), profile.path().join("log"));
    let mut child = Command::new(browser)
        .args(
            "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage"
                .split(' '),
        )
        .args("--disable-background-networking --disable-component-update --disable-sync".split(' '))
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .args("--enable-logging=stderr --dump-dom".split(' '))
        .args(flags)
        .arg(format!("file://{}", place.path(page).display()))
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&dom).unwrap())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(90) {
            child.kill().unwrap();
            panic!("the browser did not come to an end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    Some((std::fs::read_to_string(dom).unwrap(), complaints.join("\n")))
}

/// A copy of a page with a script at its end that writes a verdict; the policy, which forbids that, is taken out.
fn with_script(place: &Place, page: &str, copy: &str, script: &str) {
    let text = place.read(page);
    let start = text.find("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let end = start + text[start..].find('>').unwrap() + 1;
    let script =
        format!("<script>document.body.dataset.verdict = String((function () {{ {script} }})());</script>");
    place.write(copy, format!("{}{}{script}", &text[..start], &text[end..]));
}

fn verdict(dom: &str) -> &str {
    let found = dom.split("data-verdict=\"").nth(1).and_then(|rest| rest.split('"').next());
    found.unwrap_or("the script did not run")
}

/// A page of each kind.
fn pages(place: &Place) -> [&'static str; 2] {
    place.write("t.csv", people(400));
    let columns = "--qi age,sex,city,born --sensitive disease --other drop";
    place.ok(&format!("anonymize t.csv {columns} -k 5 -o r.csv"));
    place.ok("report t.csv r.csv -o report.html");
    place.ok(&format!("compare t.csv {columns} --k 2,5,20 --algorithms mondrian,rtree -o compare.html"));
    ["report.html", "compare.html"]
}

#[test]
fn pages_load_without_complaint_and_let_nothing_in() {
    let place = Place::new();
    for page in pages(&place) {
        let Some((dom, complaints)) = seen(&place, page, &[]) else { return };
        assert_eq!(complaints, "", "{page}");
        assert!(dom.contains("<th scope=\"col\"><button type=\"button\">"), "{page}: its own script has run");
        // Somebody else's script and picture stay out.
        let evil = "<script>document.body.dataset.evil = 1;</script><img src=\"file:///none.png\"></body>";
        place.write("evil.html", place.read(page).replace("</body>", evil));
        let (dom, complaints) = seen(&place, "evil.html", &[]).unwrap();
        assert!(!dom.contains("data-evil"), "{page}");
        assert!(
            complaints.contains("Content Security Policy") || complaints.contains("violates"),
            "{page}: {complaints}"
        );
    }
}

#[test]
fn tables_sort_and_marks_explain_themselves() {
    let place = Place::new();
    for page in pages(&place) {
        let script = r#"
            var wrong = [];
            document.querySelectorAll("table.sortable").forEach(function (table) {
                table.querySelectorAll("thead button").forEach(function (button, column) {
                    function numbers() {
                        return Array.prototype.map.call(table.tBodies[0].rows, function (row) {
                            return parseFloat(row.cells[column].dataset.sort);
                        }).filter(function (n) { return !isNaN(n); });
                    }
                    var before = table.tBodies[0].rows.length;
                    [1, -1].forEach(function (way) {
                        button.click();
                        var found = numbers(), sorted = found.slice().sort(function (a, b) { return way * (a - b); });
                        if (found.join() !== sorted.join()) { wrong.push("order of " + button.textContent); }
                        var said = button.parentNode.getAttribute("aria-sort");
                        if (said !== (way > 0 ? "ascending" : "descending")) { wrong.push("aria-sort " + said); }
                    });
                    if (table.tBodies[0].rows.length !== before) { wrong.push("rows are lost"); }
                });
            });
            var mark = document.querySelector(".chart [data-tip]"), tip = document.querySelector(".tip");
            if (!mark) { wrong.push("no mark"); } else {
                mark.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 50, clientY: 50 }));
                if (tip.hidden || tip.textContent !== mark.dataset.tip || tip.textContent === "") { wrong.push("no tip"); }
                document.body.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
                if (!tip.hidden) { wrong.push("the tip stays"); }
            }
            return wrong.length ? wrong.slice(0, 5).join("; ") : "good";"#;
        with_script(&place, page, "copy.html", script);
        let Some((dom, complaints)) = seen(&place, "copy.html", &[]) else { return };
        assert_eq!((verdict(&dom), complaints.as_str()), ("good", ""), "{page}");
    }
}

#[test]
fn nothing_overflows_a_narrow_window() {
    let place = Place::new();
    for page in pages(&place) {
        let script = r#"
            document.querySelectorAll("details").forEach(function (part) { part.open = true; });
            var width = document.documentElement.clientWidth, wrong = [];
            if (width > 520) { wrong.push("the window is " + width); }
            if (document.documentElement.scrollWidth > width) { wrong.push("the page scrolls: " + document.documentElement.scrollWidth); }
            document.querySelectorAll("main *").forEach(function (part) {
                if (!part.closest(".scroll, pre") && part.getBoundingClientRect().right > width + 1) {
                    wrong.push(part.tagName + " " + part.className);
                }
            });
            return wrong.length ? wrong.slice(0, 5).join("; ") : "good";"#;
        with_script(&place, page, "copy.html", script);
        let Some((dom, _)) = seen(&place, "copy.html", &["--window-size=400,900"]) else { return };
        assert_eq!(verdict(&dom), "good", "{page}");
    }
}

#[test]
fn texts_stand_out_in_the_light_and_in_the_dark() {
    let place = Place::new();
    let script = r#"
        function parse(text) { return (text.match(/[\d.]+/g) || []).map(Number); }
        function light(c) {
            var l = c.slice(0, 3).map(function (v) { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
            return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
        }
        function ground(part) {
            for (; part; part = part.parentElement) {
                var c = parse(getComputedStyle(part).backgroundColor);
                if (c.length === 3 || c[3] > 0) { return c; }
            }
            return [255, 255, 255];
        }
        var wrong = [], dark = matchMedia("(prefers-color-scheme: dark)").matches, parts = 0;
        document.querySelectorAll("h1, h2, h3, p, a, th, td, caption, dt, dd, dd span, strong, summary, small, figcaption, svg text")
            .forEach(function (part) {
                if (!part.textContent.trim() || !part.getClientRects().length) { return; }
                parts += 1;
                var style = getComputedStyle(part), svg = part.ownerSVGElement;
                var a = light(parse(svg ? style.fill : style.color)), b = light(ground(svg ? svg.parentElement : part));
                var contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) { wrong.push(part.tagName + "." + part.className + " " + contrast.toFixed(2)); }
            });
        if (parts < 50) { wrong.push("only " + parts + " texts"); }
        return (dark ? "dark " : "light ") + (wrong.length ? wrong.slice(0, 5).join("; ") : "good");"#;
    for page in pages(&place) {
        with_script(&place, page, "copy.html", script);
        for (scheme, expected) in [("0", "dark good"), ("1", "light good")] {
            let flag = format!("--blink-settings=preferredColorScheme={scheme}");
            let Some((dom, _)) = seen(&place, "copy.html", &[&flag]) else { return };
            assert_eq!(verdict(&dom), expected, "{page}");
        }
    }
}

/// Headings in order, charts with names, tables with captions: what a screen reader needs.
#[test]
fn pages_can_be_read_without_eyes() {
    let place = Place::new();
    for page in pages(&place) {
        let script = r#"
            var wrong = [], last = 0, ids = {};
            document.querySelectorAll("h1, h2, h3, h4").forEach(function (head) {
                var level = Number(head.tagName[1]);
                if (level > last + 1) { wrong.push("heading " + head.textContent); }
                last = level;
            });
            document.querySelectorAll("[id]").forEach(function (part) {
                if (ids[part.id]) { wrong.push("twice " + part.id); }
                ids[part.id] = true;
            });
            document.querySelectorAll("svg").forEach(function (svg) {
                var names = (svg.getAttribute("aria-labelledby") || "none").split(" ");
                if (svg.getAttribute("role") !== "img" || !names.every(function (id) {
                    var part = document.getElementById(id); return part && part.textContent.trim();
                })) { wrong.push("chart " + names); }
                if (!svg.closest("figure").querySelector("details table")) { wrong.push("no table behind " + names); }
            });
            document.querySelectorAll("table").forEach(function (table) {
                if (!table.caption || !table.caption.textContent.trim()) { wrong.push("no caption"); }
                table.querySelectorAll("th").forEach(function (head) { if (!head.scope) { wrong.push("no scope"); } });
            });
            ["header", "main", "nav", "footer"].forEach(function (mark) {
                if (document.querySelectorAll("body > " + mark).length !== 1) { wrong.push("landmark " + mark); }
            });
            if (!document.documentElement.lang) { wrong.push("no language"); }
            return wrong.length ? wrong.slice(0, 5).join("; ") : "good";"#;
        with_script(&place, page, "copy.html", script);
        let Some((dom, _)) = seen(&place, "copy.html", &[]) else { return };
        assert_eq!(verdict(&dom), "good", "{page}");
    }
}
