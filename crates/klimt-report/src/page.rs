//! A whole page: head, landmarks, sections, and a policy that lets nothing in from elsewhere.

use crate::html::Html;
use crate::policy;
use klimt_chart::escape;

/// How pages look.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Tooltips and sorting; pages can be read without it.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// A part of a page with a heading.
pub(crate) struct Section {
    id: &'static str,
    heading: &'static str,
    body: Html,
}

/// A page that is one file and loads nothing.
pub(crate) struct Page {
    pub title: String,
    pub subtitle: String,
    /// The part before all sections.
    pub summary: Html,
    pub sections: Vec<Section>,
}

impl Section {
    pub fn new(id: &'static str, heading: &'static str, body: Html) -> Self {
        Section { id, heading, body }
    }
}

impl Page {
    /// The page.
    pub fn html(&self) -> String {
        let (title, subtitle) = (escape(&self.title), escape(&self.subtitle));
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"referrer\" content=\"no-referrer\"><meta name=\"robots\" content=\"noindex\">\
             <title>{title}</title><style>{STYLE}</style></head><body>\
             <a class=\"skip\" href=\"#main\">To the summary</a>\
             <header><h1>{title}</h1><p class=\"muted\">{subtitle}</p></header>",
            policy::content()
        );
        page.push_str("<nav aria-label=\"Sections\"><ul>");
        for section in &self.sections {
            page.push_str(&format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.heading));
        }
        page.push_str("</ul></nav><main id=\"main\"><section aria-label=\"Summary\">");
        page.push_str(&self.summary.0);
        page.push_str("</section>");
        for Section { id, heading, body } in &self.sections {
            page.push_str(&format!(
                "<section aria-labelledby=\"{id}\"><h2 id=\"{id}\">{heading}</h2>{}</section>",
                body.0
            ));
        }
        page.push_str(&format!(
            "</main><footer>Made by klimt {}. This page is one file and loads nothing; it holds counts and published values only.\
             </footer><script>{SCRIPT}</script></body></html>\n",
            env!("CARGO_PKG_VERSION")
        ));
        page
    }
}
