//! Outputs have names of their own and appear together, or not at all.

use crate::common::{Place, people, ran};

const ARGS: &str = "anonymize in.csv --qi age,sex --other drop -k 5 --seed 1";

fn place() -> Place {
    let place = Place::new();
    place
        .write("in.csv", people(200))
        .write("order.txt", "f\nm\n")
        .write("w.sql", "SELECT count(*) WHERE age < 30\n");
    place
}

#[test]
fn outputs_do_not_share_a_name() {
    let place = place();
    std::os::unix::fs::symlink("a.csv", place.path("link")).unwrap();
    std::fs::create_dir(place.path("d")).unwrap();
    for flags in [
        "-o a.csv --certificate a.csv",
        "-o a.csv --certificate ./a.csv",
        "-o a.csv --certificate d/../a.csv",
        "-o a.csv --certificate link",
        "-o a.csv --save-recoding a.csv.certificate.json",
        "-o a.csv --certificate c.json --save-recoding ./c.json",
        "-o a.csv --trace a.csv --algorithm optimal",
        "-o a.csv --save-recoding r --trace r --algorithm optimal",
        "-o - --certificate -",
        "-o order.txt --order sex=order.txt",
        "-o a.csv --save-recoding order.txt --order sex=order.txt",
        "-o w.sql --workload w.sql",
        "-o in.csv",
    ] {
        let before = place.files();
        let ran = place.run(&format!("{ARGS} {flags}"));
        assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
        let told = ran.err.contains("cannot be one file") || ran.err.contains("would overwrite the input");
        assert!(told, "{flags}: {}", ran.err);
        assert_eq!(place.files(), before, "{flags}");
    }
    let ran = place.run("apply order.txt in.csv -o in.csv");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn hard_links_are_one_file() {
    let place = place();
    place.write("a.csv", "old");
    std::fs::hard_link(place.path("a.csv"), place.path("b.csv")).unwrap();
    let ran = place.run(&format!("{ARGS} -o a.csv --certificate b.csv"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(place.read("a.csv"), "old");
}

#[test]
fn a_release_does_not_appear_without_what_belongs_to_it() {
    let place = place();
    place.ok(&format!("{ARGS} -o old.csv"));
    let (release, certificate) = (place.read("old.csv"), place.read("old.csv.certificate.json"));
    std::fs::create_dir(place.path("folder")).unwrap();
    for flags in [
        "--certificate none/c.json",
        "--certificate folder",
        "--save-recoding none/r.json",
        "--save-recoding folder",
    ] {
        for output in ["new.csv", "old.csv", "new.parquet"] {
            let before = place.files();
            let ran = place.run(&format!("{ARGS} -o {output} {flags} --algorithm mondrian"));
            assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
            assert_eq!(place.files(), before, "{flags} {output}");
        }
    }
    assert_eq!((place.read("old.csv"), place.read("old.csv.certificate.json")), (release, certificate));
}

#[test]
fn no_release_stands_beside_the_certificate_of_another() {
    let place = place();
    for flags in ["--no-certificate", "--certificate other.json"] {
        place.ok(&format!("{ARGS} -o out.csv"));
        assert!(place.exists("out.csv.certificate.json"));
        let ran = place.ok(&format!("anonymize in.csv --qi age --other drop -k 3 -o out.csv {flags}"));
        assert!(!place.exists("out.csv.certificate.json"), "{flags}");
        assert!(ran.err.contains("out.csv.certificate.json: removed"), "{}", ran.err);
    }
    // Something else of that name is none of ours.
    place.write("out.csv.certificate.json", "{}");
    place.ok(&format!("{ARGS} -o out.csv --no-certificate"));
    assert!(place.exists("out.csv.certificate.json"));
}

#[test]
fn a_release_of_a_store_does_not_lie_in_it() {
    let place = place();
    place.ok("index create store --like in.csv --key id --qi age,sex --other drop -k 5 -q");
    place.ok("index insert store in.csv -q");
    let file = std::fs::read_dir(place.path("store")).unwrap().next().unwrap().unwrap().file_name();
    for flags in
        [format!("-o store/{}", file.to_str().unwrap()), "-o a.csv --certificate ./a.csv".to_string()]
    {
        let ran = place.run(&format!("index release store {flags}"));
        assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
    }
    // A certificate that cannot be written does not enter a release in the ledger.
    std::fs::create_dir(place.path("folder")).unwrap();
    assert_eq!(place.run("index release store -o a.csv --certificate folder").code, Some(2));
    assert!(place.ok("index status store").out.contains("nothing was released"));
    assert!(!place.exists("a.csv"));
}

/// Texts that the owner types may be cells of few people: the certificate counts them, and a report asks for them again.
#[test]
fn a_certificate_counts_typed_texts_and_holds_none() {
    let place = Place::new();
    let row = |n: usize| match n {
        0 => "Eigerhof,wife of the mayor\n".to_string(),
        n => format!("{},{}\n", ["Aarau", "Bern", "Chur", "Davos"][n % 4], 20 + n % 30),
    };
    place.write(
        "in.csv",
        std::iter::once("town,age\n".to_string()).chain((0..80).map(row)).collect::<String>(),
    );
    place.write("towns.txt", "Aarau\nBern\nChur\nDavos\nEigerhof\n");
    let typed = [["--missing", "wife of the mayor"], ["--split-at", "town=Chur,Davos"]];
    let made = "anonymize in.csv --qi town,age --order town=towns.txt -k 3 -q -o out.csv --algorithm gensearch --splits at-most:4";
    let run =
        |base: &str, more: &[[&str; 2]]| ran(&place.command(base).args(more.concat()).output().unwrap());
    let ran = run(made, &typed);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let certificate = place.read("out.csv.certificate.json");
    for text in ["mayor", "Chur", "Davos"] {
        assert!(!certificate.contains(text), "{text}: {certificate}");
    }
    let page = "report in.csv out.csv --order town=towns.txt -q -o page.html";
    let unsaid = run(page, &[]);
    assert_eq!(unsaid.code, Some(2), "{}", unsaid.err);
    assert!(
        unsaid.err.contains("--missing TEXT") && unsaid.err.contains("--split-at town=VALUES"),
        "{}",
        unsaid.err
    );
    assert_eq!(run(page, &typed).code, Some(0));
    assert!(place.read("page.html").contains("town=Chur,Davos"));
}
