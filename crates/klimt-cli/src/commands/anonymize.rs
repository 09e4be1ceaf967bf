//! `klimt anonymize`: from a table to a certified release.

use super::threads;
use crate::applicability::{RunRequest, Seen, tell_idle};
use crate::certificate::{Certificate, Certified, Proven, is_by_sizes};
use crate::checks::{check_files, check_names, check_options};
use crate::columns::{dialect_spec, plan};
use crate::external::{self, Manner};
use crate::hand_over::{Telling, hand_over};
use crate::options::{AnonymizeArgs, Extent, HierarchyCut, Partitioning as PartitioningArg, Statistic};
use crate::output::Staged;
use crate::progress::Progress;
use crate::publish::{Checked, Publication, facts};
use crate::recorded;
use crate::schemes::{Guides, Schemes};
use crate::search::{self, Watch};
use crate::settings::{ColumnSettings, Settings, list_of, share};
use crate::spec;
use crate::supervisor::{self, Searching};
use crate::terminal::note;
use crate::tree::{self, TreeArgs};
use crate::warnings::{Coarse, tell_doubts, warn, warn_coarse, warn_fixed};
use crate::workload;
use klimt_core::algorithm::mondrian::{self, Mondrian};
use klimt_core::algorithm::optimal::{self, Effort};
use klimt_core::job::{Budget, Job, SearchCounts, Suppression, Unobserved};
use klimt_core::loss::{self, Original, PartitionGroups, Totals};
use klimt_core::partition::Partitioning;
use klimt_core::parts::Whole;
use klimt_core::proof::{Claim, Judged, Proof};
use klimt_core::recode::{
    FixedValues, RecodingFunction, Release, ReleaseColumn, RowOrder, SavedRequirement, StatisticKind,
    release_columns,
};
use klimt_core::region::Extents;
use klimt_core::registry;
use klimt_core::requirement::{Bound, Requirement, TableFacts};
use klimt_core::spill::SpillFolder;
use klimt_core::table::{Domain, Role, Table};
use klimt_core::{Error, Result};
use klimt_io::columnar::{KeptTypes, OutputFormat};
use klimt_io::csv::{Dialect, ReadOptions};
use klimt_io::room::{Loaded, Room};
use klimt_io::source::{ReadReport, Source};
use klimt_verify::claims::Facts as VerifierFacts;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// How often rows pass by in a run on disk, about: they are sampled, divided, grouped and written.
const PASSES: u64 = 4;

/// Runs the command.
pub fn run(args: AnonymizeArgs) -> Result<()> {
    let mut settings = gather(&args)?;
    let input = settings.input.clone().ok_or_else(|| {
        Error::input("no table is named")
            .with_help("klimt anonymize TABLE.csv --qi age,sex -k 5 -o release.csv")
    })?;
    let output = settings.output.clone().unwrap_or_else(|| "-".to_string());
    check_files(&input, &output, &args, &settings)?;
    check_options(&RunRequest { args: &args, settings: &settings })?;
    let k = settings.k.ok_or_else(|| {
        Error::input("k is not given")
            .with_help("say how many people must share a published row, such as -k 5")
    })?;
    let requirements = settings.build_requirements()?;
    let suppression = match &settings.suppress {
        Some(text) => Suppression::share(share(text)?).unwrap_or(Suppression::NONE),
        None => Suppression::NONE,
    };
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let pool = settings.memory.granted()?;
    let guides = Guides::take(&mut settings)?;
    let folder = SpillFolder::within(&settings.memory.folder());
    let room = Room { pool: &pool, folder: &folder };
    let TableRead { loaded, dialect, kept_types, is_text } =
        read(&input, &args, &settings, threads, &progress, &room)?;
    let request = RunRequest { args: &args, settings: &settings };
    let (table, in_memory) = match &loaded {
        Loaded::Spilled(spilled) => (spilled.frame(), false),
        Loaded::Fits(table, _) => (table, true),
    };
    tell_idle(args.general.quiet, &request, &Seen { table, in_memory, is_text });
    let asked = Asked {
        args: &args,
        settings: &settings,
        requirements: &requirements,
        suppression,
        output: &output,
        dialect: output_dialect(dialect, &output)?,
        kept_types: &kept_types,
        k,
        threads,
        progress: &progress,
        room,
    };
    let external = match &loaded {
        Loaded::Spilled(table) => Some(external::algorithm_for(&request, table, &pool)?),
        Loaded::Fits(..) => Some(settings.algorithm()).filter(|name| name.starts_with("rothko")),
    };
    let (checked, certificate) = match (external, loaded) {
        (Some(algorithm), loaded) => asked.make_in_parts(algorithm, &external::Input::of(loaded)?)?,
        (None, Loaded::Fits(table, report)) => asked.make_held(&table, &report, &guides)?,
        (None, Loaded::Spilled(_)) => return Err(Error::internal("a table on disk has no algorithm")),
    };
    hand_over(&Telling::of(&args, &output), checked, &certificate)
}

/// What a run works with once its table is read.
pub struct Asked<'a> {
    /// The flags.
    pub args: &'a AnonymizeArgs,
    /// What they and the spec say.
    pub settings: &'a Settings,
    /// What every group must satisfy.
    pub requirements: &'a [Box<dyn Requirement>],
    /// How many rows may be left out.
    pub suppression: Suppression,
    /// Where the release goes.
    pub output: &'a str,
    /// How it is written, where it is text.
    pub dialect: Dialect,
    /// The types of the columns of the source.
    pub kept_types: &'a KeptTypes,
    /// The least size of a group.
    pub k: u64,
    /// How many readers and writers work side by side.
    pub threads: usize,
    /// What is shown meanwhile.
    pub progress: &'a Progress,
    /// Memory, and where to go when it is full.
    pub room: Room<'a>,
}

impl Asked<'_> {
    /// Anonymizes a table in parts, of which only some are in memory at a time: a checked release that waits for its
    /// name, and its certificate.
    pub fn make_in_parts(
        &self,
        algorithm: &str,
        input: &external::Input<'_>,
    ) -> Result<(Checked, Certificate)> {
        let (settings, requirements, frame) = (self.settings, self.requirements, input.frame());
        let (statistics, extents) = (statistics(settings), extents(settings));
        let columns = release_columns(frame, &statistics);
        check_names(&columns)?;
        let facts = facts(frame);
        let publication = self.publication(frame, &columns, &facts);
        let weights = weights(frame, settings);
        let mut workload = workload::steering(settings, frame, self.args.general.quiet)?;
        if let Some(workload) = &mut workload {
            input.read_with(|rows| workload::count(workload, frame, rows))?;
        }
        let row_order = row_order(settings.keep_order, self.args.method.seed)?;
        let workload = workload.as_ref();
        let manner = Manner { extents, statistics: &statistics, row_order, weights: &weights, workload };
        let run = external::Run {
            settings,
            algorithm,
            mondrian: mondrian(settings),
            requirements,
            pool: self.room.pool,
            folder: self.room.folder,
            saves_recoding: self.args.publish.save_recoding.is_some(),
        };
        // No smaller group satisfies the requirements, as soon as the whole table is known.
        let minimum = AtomicU64::new(self.k);
        let warn = |whole: &Whole<'_>| {
            if let Ok(bound) = Bound::to(requirements, whole) {
                minimum.fetch_max(bound.minimum_size(), Ordering::Relaxed);
            }
            warn(self.args.general.quiet, settings, requirements, frame, whole, None);
        };
        let first = if ["rothko-s", "rtree"].contains(&algorithm) { "sampling" } else { "partitioning" };
        let stage = self.progress.stage(first, input.rows() * PASSES, false);
        let (published, account) = run.publish(input, publication, manner, &stage, &warn)?;
        stage.clear();
        let coarse = Coarse {
            table: frame,
            rows: input.rows(),
            k: self.k,
            requirements,
            groups: published.checked.findings.groups,
            losses: &published.losses,
        };
        warn_coarse(self.args.general.quiet, &coarse);
        warn_fixed(self.args.general.quiet, &published.fixed);
        let totals = Totals {
            rows: input.rows(),
            suppressed: 0,
            groups: published.checked.findings.groups,
            k: self.k,
        };
        let original = Original::new(frame, &weights);
        let proof =
            by_definition(settings, &original, &published.losses, minimum.load(Ordering::Relaxed), &totals);
        let certificate = Certified {
            table: frame,
            rows: input.rows(),
            requirements,
            settings: self.described(algorithm, frame, None),
            run: run.describe(input, &account, &published.losses),
            losses: published.losses,
            published_losses: None,
            proof,
            counts: None,
            checked: &published.checked,
        };
        let certificate = certificate.make();
        let mut checked = published.checked;
        if let (Some(path), Some(rules)) = (&self.args.publish.save_recoding, published.rules) {
            checked
                .beside
                .push(Staged::made(path, |out| rules.write(self.k, saved(settings), extents, out))?);
        }
        Ok((checked, certificate))
    }

    /// The settings that a certificate names.
    fn described(&self, algorithm: &str, table: &Table, schemes: Option<&Schemes>) -> Map<String, Value> {
        let mut map = describe(self.settings, algorithm, schemes);
        let rest = recorded::describe(self.args, self.settings, table);
        map.extend(rest.into_iter().map(|(key, value)| (key.to_string(), value)));
        map
    }

    fn publication<'p>(
        &'p self,
        frame: &'p Table,
        columns: &'p [ReleaseColumn],
        facts: &'p VerifierFacts,
    ) -> Publication<'p> {
        Publication {
            frame,
            columns,
            output: self.output,
            dialect: self.dialect,
            k: self.k,
            kept_types: self.kept_types,
            requirements: self.requirements,
            facts,
            threads: self.threads,
        }
    }

    /// Anonymizes a table in memory: a checked release that waits for its name, and its certificate.
    pub fn make_held(
        &self,
        table: &Table,
        report: &ReadReport,
        guides: &Guides,
    ) -> Result<(Checked, Certificate)> {
        let Asked { args, settings, requirements, suppression, k, progress, .. } = *self;
        let limited = searches(settings) && settings.search.effort() != Effort::Balanced;
        let budget = settings.search.budget(self.room.pool.limit(), limited)?;
        let weights = weights(table, settings);
        let mut workload = workload::steering(settings, table, args.general.quiet)?;
        if let Some(workload) = &mut workload {
            workload.count(table);
        }
        let original = Original::new(table, &weights).with_workload(workload.as_ref());
        let steered = workload.as_ref().map(|workload| workload.steer(&weights));
        let split = settings.split_spec().bind(&original)?;
        let mut bound = Bound::new(requirements, table)?;
        let schemes = Schemes::bind(settings, guides, table)?;
        if schemes.is_none() {
            bound.feasible(table)?;
        }
        if requires_boundaries(settings, suppression) {
            bound = bound.by_boundaries(|dimension| table.domain(dimension))?;
        }
        warn(args.general.quiet, settings, requirements, table, &TableFacts::of(table), schemes.as_ref());
        let extents = extents(settings);
        let keep_tree = extents == Extents::Region || args.publish.save_recoding.is_some();
        let loss = settings.search.cost(&original)?;
        let job = Job {
            table,
            requirements: &bound,
            split: &split,
            loss: &*loss,
            suppression,
            budget,
            weights: steered.as_ref().unwrap_or(&weights),
            keep_tree,
            observer: &Unobserved,
        };
        let found = find(settings, requirements, &job, schemes.as_ref(), progress);
        let Found { mut partitioning, searched, counts, leaves } = found.map_err(supervisor::explained)?;
        let judged = Judged {
            table,
            loss: &*loss,
            minimum: bound.minimum_size(),
            k,
            allowance: suppression.limit(table.rows()),
            extents,
        };
        if !["optimal", "scheme", "local"].contains(&settings.algorithm()) {
            partitioning = suppressed_where_it_helps(partitioning, suppression, requirements, &judged)?;
        }
        let suppressed = table.rows() - partitioning.order.len();
        // From here on suppressed rows are no part of the table: what is published does not depend on their values.
        let mut narrowed = None;
        if suppressed > 0 {
            let (narrow, rows) = partitioning.narrowed(table)?;
            (partitioning, narrowed) = (narrow, Some(rows));
        }
        let published = narrowed.as_ref().map_or(table, |narrowed| &narrowed.table);
        let function = match (&args.publish.save_recoding, &partitioning.tree) {
            (Some(path), Some(tree)) => {
                let compact = &partitioning.regions;
                let mut function =
                    RecodingFunction::new(published, tree, compact, k, extents, suppressed > 0);
                function.requirements = saved(settings);
                Some((path, function))
            }
            _ => None,
        };
        finish_regions(&mut partitioning, published, extents);

        let row_order = row_order(settings.keep_order, args.method.seed)?;
        let statistics = statistics(settings);
        let release = Release::new(published, &partitioning, extents, row_order, &statistics);
        check_names(release.columns())?;
        let facts = facts(published);
        let publication = self.publication(published, release.columns(), &facts);
        let stage = progress.stage("writing", release.rows() as u64, false);
        let mut checked = publication.write(&release, table.rows() as u64, &stage)?;
        drop(stage);
        let measured = Measured { settings, weights: &weights, extents, rows: table.rows(), k };
        let published_losses = match &narrowed {
            Some(narrowed) => Some(measured.published(&narrowed.table, &partitioning)?),
            None => None,
        };
        let widened = narrowed.as_ref().map(|narrowed| narrowed.widened(&partitioning, table, extents));
        let released = widened.as_ref().unwrap_or(&partitioning);
        let losses = measured.losses(&original, released)?;
        let proof = Proof::of(released, &judged)?;
        let proof = (searched || proof.claim != Claim::Heuristic).then(|| Proven {
            loss: settings.search.proven_loss(),
            proof,
            by_sizes: loss.size(1).is_some(),
        });
        let (rows, groups) = (table.rows() as u64, checked.findings.groups);
        warn_coarse(args.general.quiet, &Coarse { table, rows, k, requirements, groups, losses: &losses });
        let mut fixed = FixedValues::default();
        fixed.add(&release);
        warn_fixed(args.general.quiet, &fixed);
        let certificate = Certified {
            table,
            rows: table.rows() as u64,
            requirements,
            settings: self.described(settings.algorithm(), table, schemes.as_ref()),
            losses,
            published_losses,
            proof,
            counts,
            run: external::describe_held(settings, report, narrowed.is_some(), leaves),
            checked: &checked,
        }
        .make();
        if let Some((path, function)) = function {
            checked.beside.push(Staged::whole(path, function.to_json().as_bytes())?);
        }
        Ok((checked, certificate))
    }
}

/// How the losses of a release are measured.
struct Measured<'a> {
    settings: &'a Settings,
    weights: &'a [f64],
    extents: Extents,
    /// The rows of the whole table.
    rows: usize,
    k: u64,
}

impl Measured<'_> {
    fn losses(
        &self,
        original: &Original<'_>,
        partitioning: &Partitioning,
    ) -> Result<Vec<(&'static str, f64)>> {
        let groups = PartitionGroups { table: original.table, partitioning, extents: self.extents };
        let totals = Totals {
            rows: self.rows as u64,
            suppressed: (self.rows - partitioning.order.len()) as u64,
            groups: partitioning.groups() as u64,
            k: self.k,
        };
        loss::measure(registry::LOSSES.iter().map(|(_, loss)| *loss), original, &groups, &totals)
    }

    /// The losses by the published rows alone, but that suppressed rows pay their price.
    fn published(&self, table: &Table, partitioning: &Partitioning) -> Result<Vec<(&'static str, f64)>> {
        let mut workload = workload::steering(self.settings, table, true)?;
        if let Some(workload) = &mut workload {
            workload.count(table);
        }
        let original = Original::new(table, self.weights).with_workload(workload.as_ref());
        let mut losses = self.losses(&original, partitioning)?;
        if table.rows() == 0 {
            losses.retain(|(id, _)| is_by_sizes(id, &original));
        }
        Ok(losses)
    }
}

/// A partitioning, and how it was found.
struct Found {
    partitioning: Partitioning,
    /// Whether a search found it, as it is.
    searched: bool,
    /// How a search over a split set went.
    counts: Option<SearchCounts>,
    /// The leaves of an R+-tree.
    leaves: Option<usize>,
}

/// Whether a run searches, and publishes the best that it has when it is asked to stop.
fn searches(settings: &Settings) -> bool {
    !["mondrian", "rtree"].contains(&settings.algorithm()) || settings.search.effort() != Effort::Fast
}

/// Finds the groups. Whoever asks a search to stop gets the best that it has found.
fn find(
    settings: &Settings,
    requirements: &[Box<dyn Requirement>],
    job: &Job<'_>,
    schemes: Option<&Schemes>,
    progress: &Progress,
) -> Result<Found> {
    let partitioner = search::partitioner(settings, job.table, mondrian(settings))?;
    let effort = settings.search.effort();
    let searching = searches(settings);
    let under_way = searching.then(|| progress.searching());
    let k = settings.k.unwrap_or(1);
    let totals = Totals { rows: job.table.rows() as u64, suppressed: 0, groups: 0, k };
    let trace = settings.search.trace.as_deref();
    let watch = Watch::new(progress, totals.rows, searching, job.loss, totals, trace)?;
    let keep_tree = job.keep_tree || effort != Effort::Fast;
    let job = Job { observer: &watch, keep_tree, ..*job };
    // The usual time is that of searches; what they start from is not cut short by it.
    let budget = match settings.algorithm() {
        "mondrian" | "rtree" if settings.search.time_limit.is_none() => Budget { until: None, ..job.budget },
        _ => job.budget,
    };
    let first = Job { budget, ..job };
    let mut leaves = None;
    let (mut partitioning, settled) = match schemes {
        Some(schemes) => schemes.partition(&job, requirements)?,
        None if settings.is_tree() => {
            let built = tree::build(settings, &first, mondrian(settings))?;
            leaves = Some(built.leaves);
            (built.partitioning, false)
        }
        None => (partitioner.partition(&first)?, false),
    };
    let suppressed = schemes.is_none() && partitioning.order.len() < job.table.rows();
    if suppressed && !partitioning.holds_published(job.table, requirements)? {
        partitioning = partitioner.partition(&Job { suppression: Suppression::NONE, ..job })?;
    }
    if effort != Effort::Fast {
        partitioning = optimal::improve(&job, partitioning, effort)?;
    }
    let searched = searching && !settled;
    let counts = watch.counts();
    drop(watch);
    if let Some((short, stopped)) = under_way.map(Searching::end) {
        if short {
            note(
                false,
                "the search has used up --memory: the best release so far is taken, and checked as always",
            );
        }
        if stopped {
            note(
                false,
                "stopped: the best release so far is taken, and checked as always; stop again to end without any",
            );
        }
    }
    Ok(Found { partitioning, searched, counts, leaves })
}

/// Leaves out rows where that lowers the loss that was asked for, as it is published.
fn suppressed_where_it_helps(
    partitioning: Partitioning,
    suppression: Suppression,
    requirements: &[Box<dyn Requirement>],
    judged: &Judged<'_>,
) -> Result<Partitioning> {
    let mut fewer = partitioning.clone();
    if fewer.suppress(suppression, judged.table, requirements, judged.loss)?.is_empty() {
        return Ok(partitioning);
    }
    let loss = |of: &Partitioning| -> Result<f64> {
        let (mut narrow, rows) = of.narrowed(judged.table)?;
        finish_regions(&mut narrow, &rows.table, judged.extents);
        Ok(Proof::of(&rows.widened(&narrow, judged.table, judged.extents), judged)?.found)
    };
    Ok(if loss(&fewer)? < loss(&partitioning)? { fewer } else { partitioning })
}

/// What the definition of the loss that was asked for proves of a release that was made in parts.
fn by_definition<'s>(
    settings: &'s Settings,
    original: &Original<'_>,
    losses: &[(&'static str, f64)],
    minimum: u64,
    totals: &Totals,
) -> Option<Proven<'s>> {
    let asked = settings.search.loss();
    let found = losses.iter().find(|(id, _)| *id == asked)?.1;
    let (_, loss) = registry::LOSSES.iter().find(|(entry, _)| entry.id == asked)?;
    let loss = loss.cost(original)?;
    let proof = Proof::by_definition(found, &*loss, minimum, totals, 0);
    let proven = proof.claim != Claim::Heuristic;
    proven.then(|| Proven { loss: asked, proof, by_sizes: loss.size(1).is_some() })
}

/// The spec, then the flags.
pub fn gather(args: &AnonymizeArgs) -> Result<Settings> {
    let mut settings = args.spec.as_deref().map_or(Ok(Settings::default()), spec::read)?;
    settings.input = args.input.clone().or(settings.input);
    settings.output = args.output.clone().or(settings.output);
    settings.apply_columns(&args.columns)?;
    settings.apply_requirements(&args.requirements)?;
    settings.split = args.method.split.clone().or(settings.split);
    settings.workload = args.method.workload.clone().or(settings.workload);
    settings.algorithm = args.method.algorithm.clone().or(settings.algorithm);
    settings.search = args.search.clone().or(settings.search);
    settings.apply_splits(&args.search.split_at)?;
    settings.apply_schemes(&args.schemes)?;
    let prefer = list_of("--prefer", &args.tree.prefer)?;
    settings.tree = TreeArgs { prefer, ..args.tree.clone() }.or(settings.tree);
    settings.memory = args.memory.clone().or(settings.memory);
    settings.partitioning = args.method.partitioning.or(settings.partitioning);
    settings.hierarchy_cut = args.method.hierarchy_cut.or(settings.hierarchy_cut);
    settings.suppress = args.method.suppress.clone().or(settings.suppress);
    settings.extent = args.publish.extent.or(settings.extent);
    if !args.publish.statistics.is_empty() {
        settings.statistics = args.publish.statistics.clone();
    }
    settings.keep_order |= args.publish.keep_order;
    if settings.workload.is_some() {
        settings.search.loss.get_or_insert("queries".to_string());
    }
    if settings.algorithm() == "scheme" {
        settings.search.loss.get_or_insert("dm".to_string());
        settings.extent.get_or_insert(Extent::Region);
    }
    Ok(settings)
}

/// The requirements besides k, as a recoding function keeps them.
pub fn saved(settings: &Settings) -> Vec<SavedRequirement> {
    let columns = |column: &Option<String>| match column {
        Some(column) => vec![column.clone()],
        None => settings.sensitive_columns().map(str::to_string).collect(),
    };
    let each = settings.requirements.iter().flat_map(|wanted| {
        columns(&wanted.column).into_iter().map(|column| SavedRequirement {
            flag: wanted.flag.to_string(),
            column,
            parameters: wanted.text.clone(),
        })
    });
    each.collect()
}

/// A table as it was read.
pub struct TableRead<'r> {
    /// Its rows, in memory or on disk.
    pub loaded: Loaded<'r>,
    /// How its text is written.
    pub dialect: Dialect,
    /// The types of its columns.
    pub kept_types: KeptTypes,
    /// Whether it was text.
    pub is_text: bool,
}

/// Reads the table, in memory as far as there is room.
pub fn read<'r>(
    input: &str,
    args: &AnonymizeArgs,
    settings: &Settings,
    threads: usize,
    progress: &Progress,
    room: &Room<'r>,
) -> Result<TableRead<'r>> {
    let source = Source::open(input, dialect_spec(input, &args.format))?;
    let (dialect, kept_types) = (source.dialect(), source.kept_types());
    let is_text = matches!(source, Source::Csv(_));
    let plan = plan(input, source.columns(), settings)?;
    let bytes = std::fs::metadata(input).map_or(0, |metadata| metadata.len());
    // Rows on disk take no more than their text, until they are all there and it is known.
    room.folder.traffic().expect(bytes);
    let stage = progress.stage("reading", bytes, true);
    let options = ReadOptions { missing: &settings.missing, threads, observer: &stage };
    let loaded = source.read_within(&plan, &options, room)?;
    drop(stage);
    let report = match &loaded {
        Loaded::Fits(_, report) => report,
        Loaded::Spilled(table) => table.report(),
    };
    tell_doubts(args.general.quiet, report);
    let kept_types = kept_types.after(report);
    Ok(TableRead { loaded, dialect, kept_types, is_text })
}

/// The weight of every dimension.
pub fn weights(table: &Table, settings: &Settings) -> Vec<f64> {
    let weight = |name: &str| settings.columns.get(name).and_then(|column| column.weight).unwrap_or(1.0);
    (0..table.dimensions()).map(|dimension| weight(&table.dimension(dimension).name)).collect()
}

fn mondrian(settings: &Settings) -> Mondrian {
    let model = match settings.partitioning {
        Some(PartitioningArg::Relaxed) => mondrian::Model::Relaxed,
        _ => mondrian::Model::Strict,
    };
    let hierarchy_cut = match settings.hierarchy_cut {
        Some(HierarchyCut::Nodes) => mondrian::HierarchyCut::Nodes,
        Some(HierarchyCut::Leaves) => mondrian::HierarchyCut::Leaves,
        Some(HierarchyCut::Both) | None => mondrian::HierarchyCut::Both,
    };
    Mondrian { model, hierarchy_cut }
}

/// Region boundaries where they are asked for; then groups that are published alike become one.
pub fn finish_regions(partitioning: &mut Partitioning, table: &Table, extents: Extents) {
    let domains: Vec<&Domain> = (0..table.dimensions()).map(|d| table.domain(d)).collect();
    if let (Extents::Region, Some(tree)) = (extents, &partitioning.tree) {
        partitioning.regions = tree.regions(&domains, Some(&partitioning.regions));
    }
    partitioning.coalesce(&domains);
}

/// Whether widths are required of the boundaries that are published. Where rows may be suppressed these move with what is
/// left; and searches over the rows of boxes, unlike cuts, do not know them.
fn requires_boundaries(settings: &Settings, suppression: Suppression) -> bool {
    let cuts = match settings.algorithm() {
        "mondrian" | "rothko-t" | "rothko-s" => mondrian(settings).model == mondrian::Model::Strict,
        "rtree" => settings.tree.base_k.is_none(),
        algorithm => algorithm == "gensearch",
    };
    let searches = settings.search.effort() != Effort::Fast;
    extents(settings) == Extents::Region && suppression == Suppression::NONE && cuts && !searches
}

fn extents(settings: &Settings) -> Extents {
    match settings.extent {
        Some(Extent::Region) => Extents::Region,
        _ => Extents::Compact,
    }
}

fn statistics(settings: &Settings) -> Vec<StatisticKind> {
    let kind = |statistic: &Statistic| match statistic {
        Statistic::Range => StatisticKind::Range,
        Statistic::Mean => StatisticKind::Mean,
    };
    settings.statistics.iter().map(kind).collect()
}

/// The order of the published rows: without a seed, nobody can tell how they were shuffled.
pub fn row_order(keep: bool, seed: Option<u64>) -> Result<RowOrder> {
    if keep {
        return Ok(RowOrder::Kept);
    }
    let mut secret = [0; 32];
    match seed {
        Some(seed) => secret[..8].copy_from_slice(&seed.to_le_bytes()),
        None => getrandom::fill(&mut secret)
            .map_err(|e| Error::resource(format!("the system gives no random numbers: {e}")))?,
    }
    Ok(RowOrder::Shuffled(secret))
}

/// The output is written like the input, but for tabs in a `.tsv` file.
pub fn output_dialect(input: Dialect, output: &str) -> Result<Dialect> {
    Ok(match OutputFormat::of(output)? {
        OutputFormat::Text { tabs: true, .. } => Dialect { delimiter: b'\t', ..input },
        _ => input,
    })
}

/// The settings that a certificate names; file names stay out of it.
fn describe(settings: &Settings, algorithm: &str, schemes: Option<&Schemes>) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_string(), value);
    };
    put("algorithm", json!(algorithm));
    for (key, value) in settings.search.describe(algorithm) {
        put(key, value);
    }
    let local = algorithm == "local";
    // Regions that may overlap are not strict.
    let relaxed =
        local || settings.runs_of_leaves() || settings.partitioning == Some(PartitioningArg::Relaxed);
    match schemes {
        Some(schemes) => schemes.described.iter().for_each(|(key, value)| put(key, value.clone())),
        None if local => {}
        None => put("split", json!(settings.split_name())),
    }
    put("workload", json!(settings.workload.is_some()));
    put("partitioning", json!(if relaxed { "relaxed" } else { "strict" }));
    for (key, value) in settings.describe_tree() {
        put(key, value);
    }
    put("extent", json!(extents(settings)));
    put("suppress", json!(settings.suppress.as_deref().unwrap_or("none")));
    put("row-order", json!(if settings.keep_order { "kept" } else { "shuffled within groups" }));
    // What k does not say, in the words of the flags: a report asks for the same again.
    if !settings.requirements.is_empty() {
        put("requirements", json!(saved(settings)));
    }
    let weights: Map<String, Value> = settings
        .columns
        .iter()
        .filter_map(|(name, column)| Some((name.clone(), json!(column.weight?))))
        .collect();
    if !weights.is_empty() {
        put("weights", Value::Object(weights));
    }
    let of_quasi_identifier = |column: &ColumnSettings| column.role == Some(Role::QuasiIdentifier);
    let unique =
        settings.columns.iter().filter(|(_, column)| column.allow_unique && of_quasi_identifier(column));
    let unique: Vec<&String> = unique.map(|(name, _)| name).collect();
    if !unique.is_empty() {
        put("allow-unique", json!(unique));
    }
    map
}
