//! Names of columns that say what a column holds, in English, German, French, Spanish, Italian and Dutch.

use super::words::words;
use klimt_core::table::Role;

/// What a name says of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The name of a person.
    PersonName,
    /// A number or key of a person, a case, an account or a document.
    PersonKey,
    /// A telephone number.
    Phone,
    /// A mail address.
    Mail,
    /// A street or an address.
    Address,
    /// Notes in free text.
    Note,
    /// An account, an address or a device on a network.
    Online,
    /// A picture, a voice or a signature.
    Likeness,
    /// Some number or key, of whatever.
    SomeKey,
    /// A role that does not identify.
    Role(Role),
}

impl Meaning {
    /// What the name says, for a reason.
    pub fn describe(self) -> &'static str {
        match self {
            Meaning::PersonName => "its name says that it holds names of people",
            Meaning::PersonKey => "its name says that it is a number of a person, a case or an account",
            Meaning::Phone => "its name says that it holds phone numbers",
            Meaning::Mail => "its name says that it holds mail addresses",
            Meaning::Address => "its name says that it holds addresses",
            Meaning::Note => "its name says that it holds notes, which may name people",
            Meaning::Online => "its name says that it tells an account or a device",
            Meaning::Likeness => "its name says that it shows or signs for a person",
            Meaning::SomeKey => "its name says that it is a number or key",
            Meaning::Role(Role::Sensitive) => {
                "its name says that it holds what a person wants kept to themselves"
            }
            Meaning::Role(Role::Target) => "its name says that it is a class label",
            Meaning::Role(_) => "its name says that it holds what others may know of a person",
        }
    }
}

/// Words that say it alone, wherever they stand in the name.
const ALONE: &[(Meaning, &str)] = &[
    (
        Meaning::PersonKey,
        "mrn ssn nhs nino kvnr bsn nif nie dni nir nss iban passport ausweis reisepass passeport \
        pasaporte passaporto paspoort uuid guid matricola matricule svnr ahv avs tin cuit rut pesel \
        emrn burgerservicenummer",
    ),
    (
        Meaning::Phone,
        "phone phones telephone tel telefon telefono telefoon fax handy mobilnummer telefonnummer \
        handynummer rufnummer telefoonnummer cellphone smartphone movil",
    ),
    (Meaning::Mail, "email emails mail mailadresse emailadresse courriel correo"),
    (
        Meaning::Address,
        "address addr adresse anschrift direccion indirizzo adres domicilio street strasse rue calle \
        straat hausnummer huisnummer hausnr wohnadresse",
    ),
    (
        Meaning::PersonName,
        "surname lastname firstname forename fullname givenname familyname maidenname middlename \
        vorname vornamen nachname nachnamen familienname geburtsname zuname rufname prenom prenoms \
        apellido apellidos cognome voornaam achternaam voornamen patientenname kundenname",
    ),
    (
        Meaning::Note,
        "note notes comment comments remark remarks memo freetext narrative bemerkung bemerkungen \
        notiz notizen kommentar kommentare freitext anmerkung anmerkungen commentaire commentaires \
        remarque remarques observaciones comentario comentarios notas nota osservazioni commento \
        commenti opmerking opmerkingen notitie notities toelichting",
    ),
    (
        Meaning::Online,
        "username login nickname url ip ipv mac imei imsi cookie benutzername homepage website \
        gebruikersnaam",
    ),
    (Meaning::Likeness, "photo photograph signature fingerprint foto unterschrift"),
];

/// Words for who or what is numbered; a word may go on after them, as in `patienten`.
const NUMBERED: &str = "pat patient paciente paziente versichert versicherung insurance insured insuree assure \
        assurance asegurad afiliado assicurat verzeker member mitglied policy polis account konto \
        compte cuenta conto rekening customer kunde kundin client klant employee mitarbeiter \
        personal persona persoon person student schueler matrikel matricul steuer tax \
        sozialversicherung social securite secu seguridad fiscal fiscale rente license licence \
        fuehrerschein licencia patente rijbewijs kennzeichen plate vehicle record encounter visit \
        case fall aufnahme sejour dossier expediente cartella historia historial user usuario utente \
        gebruiker benutzer nutzer subject participant proband teilnehmer respondent card karte carte \
        tarjeta carta kaart identity identite identidad identita citizen national beneficiary device \
        serial certificate telecom health gesundheit sante salud sanitari zorg medical hospital \
        krankenkasse burgerservice payer order invoice rechnung specimen sample probe";

/// Words for a number.
const NUMBER: &str = "id ids nr no num number nummer numero nro numer code codice codigo key ref reference \
        referenz kennung schluessel identifier identifiant identificador pk n";

/// The end of a word that is a number of something, as in `Fallnummer`.
const NUMBER_ENDINGS: &str = "nummer nr numero";

/// Words for a name.
const NAME: &str = "name names namen nom noms nombre nome naam";

/// Words beside which such a word is the name of a person.
const NAMED: &str = "first last full given family middle maiden patient patienten paciente paziente patientin \
        customer kunde client cliente klant employee mitarbeiter person persona personne persoon \
        contact kontakt mother father mutter vater mere pere madre padre spouse doctor physician \
        arzt medecin medico nurse user usuario utente student member complet completo famille \
        familia famiglia pila volledige birth del du le de et y e und and en prenom apellidos \
        cognome sur fore guardian holder";

/// Words for a role that does not identify.
const ROLES: &[(Role, &str)] = &[
    (
        Role::Sensitive,
        "disease diagnosis diagnoses diagnose diagnosen hauptdiagnose illness condition symptom \
        treatment medication drug hiv icd salary income wage religion party crime charges cost costs \
        krankheit erkrankung behandlung medikament gehalt lohn einkommen kosten konfession partei \
        maladie diagnostic traitement salaire revenu cout couts enfermedad diagnostico tratamiento \
        salario sueldo ingreso ingresos coste costo costos malattia diagnosi trattamento stipendio \
        reddito costi religione ziekte aandoening behandeling salaris inkomen godsdienst",
    ),
    (
        Role::QuasiIdentifier,
        "age sex gender zip zipcode postcode postal birth born dob birthdate birthday race ethnicity \
        marital education country nationality occupation job workclass city town region state county \
        admission admitted discharge date ward unit stay los year alter geschlecht plz postleitzahl \
        geburtsdatum geburtstag geburtsjahr geboren familienstand bildung schulabschluss land \
        staatsangehoerigkeit nationalitaet beruf ort wohnort stadt bundesland aufnahme aufnahmedatum \
        entlassung entlassdatum datum station abteilung verweildauer sexe naissance pays ville \
        profession departement edad sexo genero nacimiento pais ciudad provincia profesion alta \
        fecha eta sesso genere nascita cap paese citta professione comune ricovero reparto leeftijd \
        geslacht geboorte geboortedatum gemeente woonplaats beroep opname ontslag afdeling civil \
        civile etnia raza cp",
    ),
    (Role::Target, "class label target klasse classe clase etiqueta etichetta"),
];

/// Whether a list of words holds a word.
fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// What a name says, if anything.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let alone = ALONE.iter().find(|(_, known)| words.iter().any(|word| lists(known, word)));
    let role = || ROLES.iter().find(|(_, known)| words.iter().any(|word| lists(known, word)));
    if let Some((meaning, _)) = alone {
        return Some(*meaning);
    }
    if person_name(&words) {
        return Some(Meaning::PersonName);
    }
    let number = |word: &&str| lists(NUMBER, word) && !(words.len() == 1 && *word == "n");
    let compound = words.iter().find_map(|word| {
        let stem = NUMBER_ENDINGS.split(' ').find_map(|ending| word.strip_suffix(ending));
        stem.filter(|stem| !stem.is_empty())
    });
    let has_role = |word: &str| ROLES.iter().any(|(_, known)| lists(known, word));
    let has_number = words.iter().any(number) && !counts(&words);
    match (has_number, compound) {
        (_, Some(stem)) if numbered(stem) => Some(Meaning::PersonKey),
        (true, _) if words.iter().any(|word| numbered(word) && !has_role(word)) => Some(Meaning::PersonKey),
        _ if role().is_some() => role().map(|(role, _)| Meaning::Role(*role)),
        (true, _) | (_, Some(_)) => Some(Meaning::SomeKey),
        _ => None,
    }
}

/// Whether a word stands for who or what is numbered. Short words have few endings, so that `card` is not `cardiology`.
fn numbered(word: &str) -> bool {
    const LONG: usize = 6;
    NUMBERED.split(' ').any(|stem| match word.strip_prefix(stem) {
        Some(ending) => stem.len() >= LONG || ["", "s", "e", "n", "en", "in"].contains(&ending),
        None => false,
    })
}

/// Whether the words tell how many: `number of visits`, `num_children`.
fn counts(words: &[&str]) -> bool {
    match words {
        ["number" | "num" | "no" | "nombre", "of" | "de" | "d", ..] => true,
        ["num" | "no" | "n", .., last] => last.ends_with('s'),
        _ => false,
    }
}

/// Whether the words are those of a person's name: a word for name alone, or beside words that say whose.
fn person_name(words: &[&str]) -> bool {
    let (names, others): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| lists(NAME, word));
    !names.is_empty()
        && others.iter().all(|word| lists(NAMED, word) || word.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifies(name: &str) -> bool {
        !matches!(meaning(name), None | Some(Meaning::Role(_) | Meaning::SomeKey))
    }

    #[test]
    fn identifiers_are_known_by_their_names_in_six_languages() {
        let english = "mrn, MRN, ssn, patient_id, patientId, PatientID, Patient Number, insurance_no, name, \
            first_name, LastName, surname, full.name, patient name, phone, Phone Number, tel, email, \
            e-mail, E-Mail-Address, home_address, street, note, notes, comments, iban, \
            account_number, passport, customer_id, visit_id, case no, employee id, ip_address, \
            username, url";
        let german = "Patientennummer, PatientenNr, Pat-ID-Patient-Nr., Fallnummer, Fall-Nr., FallNr, \
            Versichertennummer, Versicherten-Nr., KVNR, Name, Vorname, Nachname, Familienname, \
            Geburtsname, Telefon, Telefonnummer, Handy, EMail, E-Mail-Adresse, Straße, Hausnummer, \
            Anschrift, Bemerkung, Bemerkungen, Notiz, Freitext, Kontonummer, IBAN, Reisepass, \
            Kundennummer, Steuernummer";
        let french = "nom, Nom, prénom, nom_famille, nom de famille, nom_patient, NIR, numéro_sécu, numero \
            securite sociale, téléphone, tel, courriel, adresse, rue, commentaire, commentaires, \
            remarques, passeport, numéro client, id_patient, numero_dossier, numéro de compte, \
            carte_numero";
        let spanish = "nombre, Nombre completo, apellido, apellidos, nombre_paciente, DNI, NIE, NIF, NSS, \
            teléfono, correo, correo electrónico, dirección, calle, observaciones, comentarios, \
            pasaporte, número cliente, id_paciente, numero_historia, historia_clinica_num, \
            cuenta_numero, móvil";
        let italian = "nome, cognome, nome_completo, nome paziente, codice fiscale, codice_fiscale, telefono, \
            email, indirizzo, note, osservazioni, commento, passaporto, numero conto, id_paziente, \
            numero_cartella, matricola, numero tessera sanitaria, codice_paziente, cliente_id, \
            carta_identità_numero";
        let dutch = "naam, voornaam, achternaam, volledige naam, BSN, burgerservicenummer, telefoon, \
            telefoonnummer, e-mail, adres, straat, huisnummer, opmerking, opmerkingen, notitie, \
            toelichting, paspoort, klantnummer, rekeningnummer, patiëntnummer, patient_nr, \
            polisnummer";
        for names in [english, german, french, spanish, italian, dutch] {
            let names: Vec<&str> = names.split(", ").collect();
            assert!(names.len() >= 20);
            let missed: Vec<&&str> = names.iter().filter(|name| !identifies(name)).collect();
            assert!(missed.is_empty(), "{missed:?}");
        }
    }

    #[test]
    fn other_names_do_not_identify() {
        let english = "age, sex, zip, zipcode, postcode, birth_date, dateOfBirth, dob, ward, diagnosis, icd10, \
            ICD_code, income, marital-status, native-country, education-num, hours-per-week, fnlwgt, \
            capital-gain, workclass, occupation, relationship, admission, length_of_stay, charges, \
            height, weight_kg, product_name, ward_name, drug_name, country_name, city, state, blood \
            pressure, number_of_visits, num_children, identity, phase, hotel, telescope, style, \
            quantity";
        let german = "Alter, Geschlecht, PLZ, Postleitzahl, Geburtsdatum, Station, Diagnose, Einkommen, \
            Familienstand, Beruf, Land, Wohnort, Aufnahmedatum, Entlassung, Verweildauer, Kosten, \
            Größe, Gewicht, Blutgruppe, Anzahl Kinder, Medikament, Fachabteilung, Raucher, Hotel";
        let french = "âge, sexe, code postal, date_naissance, pays, ville, profession, diagnostic, maladie, \
            salaire, revenu, service, durée_séjour, taille, poids, groupe sanguin, fumeur, région, \
            coût, état_civil, nationalité, traitement";
        let spanish = "edad, sexo, código postal, fecha_nacimiento, país, ciudad, profesión, diagnóstico, \
            enfermedad, salario, ingresos, servicio, días, peso, altura, grupo sanguíneo, fumador, \
            provincia, coste, estado civil, nacionalidad, tratamiento";
        let italian = "età, sesso, cap, data_nascita, paese, città, professione, diagnosi, malattia, stipendio, \
            reddito, reparto, degenza, peso, altezza, gruppo sanguigno, fumatore, provincia, costo, \
            stato civile, nazionalità, trattamento";
        let dutch = "leeftijd, geslacht, postcode, geboortedatum, land, gemeente, beroep, diagnose, ziekte, \
            salaris, inkomen, afdeling, opnameduur, gewicht, lengte, bloedgroep, roker, provincie, \
            kosten, burgerlijke staat, nationaliteit, behandeling";
        for names in [english, german, french, spanish, italian, dutch] {
            let names: Vec<&str> = names.split(", ").collect();
            assert!(names.len() >= 20);
            let wrong: Vec<&&str> = names.iter().filter(|name| identifies(name)).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn roles_are_known_by_their_names() {
        let role = |name: &str| match meaning(name) {
            Some(Meaning::Role(role)) => Some(role),
            _ => None,
        };
        for name in [
            "age",
            "Geburtsdatum",
            "PLZ",
            "code postal",
            "sexo",
            "data_nascita",
            "leeftijd",
            "marital-status",
        ] {
            assert_eq!(role(name), Some(Role::QuasiIdentifier), "{name}");
        }
        for name in ["disease", "Diagnose", "maladie", "enfermedad", "reddito", "ziekte", "icd10", "charges"]
        {
            assert_eq!(role(name), Some(Role::Sensitive), "{name}");
        }
        assert_eq!(role("class"), Some(Role::Target));
        assert_eq!((meaning("num_visits"), meaning("room no")), (None, Some(Meaning::SomeKey)));
        assert_eq!((meaning("X1"), meaning("fnlwgt")), (None, None));
    }
}
