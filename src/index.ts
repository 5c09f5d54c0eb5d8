// Reading what is asked for
export { readInputs, requestFromPackageSet as packageSet } from './inputs/read-inputs.js';
export type { CombineOptions } from './inputs/combine.js';
export type { InputOptions, InputReadOptions, Inputs } from './inputs/read-inputs.js';
export type { InputFileOptions } from './inputs/input-files.js';
export type { FileReadOptions } from './inputs/read-files.js';
export type {
  CrdRoot,
  KeptObject,
  LocalRoot,
  PackageRoot,
  Replacement,
  Request,
  Root,
  RootVersion,
  VersionRule,
} from './model/request.js';
export { InputError } from './model/input-error.js';

// Where packages come from
export type {
  AskedPackage,
  FetchedPackage,
  IndexState,
  Owner,
  PackageSource,
  Released,
} from './model/package-source.js';
export type { MinimumAge, Policy, PolicyEntry } from './model/policy/policy.js';
export type { CandidateRule, Ruling, RulingKind } from './model/policy/ruling.js';
export type { PolicyOptions } from './usecases/resolve/policy/policy-rules.js';
export { openDir } from './sources/dir/dir-source.js';
export type { DirOptions } from './sources/dir/dir-source.js';
export { openIndex } from './sources/index/index-source.js';
export { memorySource } from './sources/memory-source.js';
export { openLayoutSource } from './sources/layout-source.js';
export type { LayoutOptions } from './sources/layout-source.js';
export type { LayoutName } from './store/image-layout.js';
export { openXpkgSource } from './sources/xpkg-source.js';
export type { XpkgOptions } from './sources/xpkg-source.js';
export { openRegistries } from './sources/registry/open-registries.js';
export type { GivenSecret, RegistriesOptions } from './sources/registry/open-registries.js';
export { imageConfigsIn } from './model/cluster/image-config.js';
export type { ImageConfig, ImageSetting } from './model/cluster/image-config.js';
export { DiskCache } from './store/disk-cache.js';
export type { DiskCacheOptions, RecordKind } from './store/disk-cache.js';
export type { OpenBlob } from './image/image-repository.js';
export type { BlobSink } from './image/blob.js';
export type { Exchange, NetworkObserver } from './registry/transport/transport.js';
export { firstKnowing } from './sources/decorators/first-knowing.js';
export type {
  IndexFile,
  IndexObject,
  IndexPackage,
  IndexVersion,
  IndexXrd,
} from './model/index-file.js';
export type { Definition } from './model/definition.js';
export { timeBudget } from './model/time/time-budget.js';
export type { TimeBudget } from './model/time/time-budget.js';
export { OutOfTime } from './model/time/out-of-time.js';
export { SourceError } from './model/source-error.js';
export type { SourceErrorCode } from './model/source-error.js';

// What a package is, and what a release makes of it
export type { Candidate, LockedParts, Origin, PackageKind, Repository } from './model/package.js';
export type { Digest } from './text/digest.js';
export type { JsonObject, JsonValue } from './text/json.js';
export type { Path } from './text/yaml/path.js';
export { readPackageYaml } from './package-yaml/read-package-yaml.js';
export type {
  Composed,
  CompositeDefinition,
  MetaDocument,
  PackageContents,
  PackageObject,
  ReleaseField,
  ResourceType,
  StreamProblem,
} from './model/package-contents.js';
export { isRejection, judge } from './admission/judge.js';
export type { JudgeOptions } from './admission/lint.js';
export type {
  CrdRequirement,
  Finding,
  PackageMeta,
  PackageRequirement,
  Rejection,
  Requirement,
} from './model/package-meta.js';
export type { OwnedKind, OwnedObject } from './model/owned-object.js';
export type { CrdDemand } from './model/crd-demand.js';
export { targetFor } from './model/target/target.js';
export type { Target, TargetRules } from './model/target/target.js';
export type { Dialect } from './semver/dialect.js';

// Finding the set
export { resolve } from './usecases/resolve/resolve.js';
export type { ResolveOptions } from './usecases/resolve/resolve.js';
export type { Answer, GaveUp, Solved, Stats, Unsolvable } from './usecases/resolve/answer.js';
export type { ProblemOptions } from './usecases/resolve/to-problem.js';
export type { Requirer, Requirers } from './usecases/resolve/requirers.js';
export type { Selector } from './model/selector.js';
export type { Movement } from './usecases/resolve/movement.js';
export type { Change } from './lock/changes.js';
export type { Refusal, Suggestion } from './explain/refusal.js';
export type { Summary } from './explain/short/summary.js';
export type {
  RefusalClash,
  RefusalEdge,
  RefusalGraph,
  RefusalNode,
} from './explain/short/refusal-graph.js';
export type { RequestEdit } from './model/edit/request-edit.js';
export type { CoreEntry, CoreKind } from './explain/core-entries.js';
export type {
  FactStatement,
  FactVersions,
  NamedFact,
  RequirementPlace,
} from './explain/named-fact.js';
export type { ReadCounts } from './driver/read-stats.js';
export type { Effort } from './solver/search-result.js';

// What becomes of it later, and elsewhere
export { update } from './usecases/update.js';
export type { Move, UpdateOptions } from './usecases/update.js';
export { verify } from './usecases/verify/verify.js';
export type { Verification, VerifyOptions } from './usecases/verify/verify.js';
export type { Mismatch } from './usecases/mismatch.js';
export { outdated } from './usecases/outdated.js';
export type { Outdated, OutdatedOptions, OutdatedReport } from './usecases/outdated.js';
export { whyNotChosen } from './usecases/why-not/why-not-chosen.js';
export type { WhyNot } from './usecases/why-not/why-not-chosen.js';
export { matrix } from './usecases/matrix.js';
export type { Matrix, MatrixOptions, MatrixRow, Verdict } from './usecases/matrix.js';
export type { Shard } from './model/parts/shard.js';
export { fuzz } from './usecases/fuzz/fuzz.js';
export type { Breakage, FuzzOptions, FuzzReport } from './usecases/fuzz/fuzz.js';
export type { RootChoice, Variation } from './usecases/fuzz/variation.js';

// The lockfile, and what is made from it
export { formatLockfile } from './lock/format-lockfile.js';
export { parseLockfile } from './lock/parse-lockfile.js';
export type { LockedPackage, LockedSigner, Lockfile, ObjectTemplate } from './lock/lockfile.js';
export type { SignerOf } from './usecases/resolve/to-lockfile.js';
export { ownersOf, whyLocked } from './usecases/why.js';
export type { Why } from './usecases/why.js';
export type { LockEdge } from './lock/lock-graph.js';
export { lockTree } from './lock/lock-tree.js';
export type { TreeNode } from './lock/lock-tree.js';
export { render } from './usecases/render.js';
export type { BundleLayout } from './usecases/render-record.js';
export type { Rendering, RenderOptions } from './usecases/render.js';
export type { Bundle, BundleObjects } from './bundle/bundle.js';
export type { Pin } from './bundle/package-object.js';
export { acceptanceProblems } from './bundle/acceptance/acceptance.js';
export type { Output } from './bundle/acceptance/installed-set.js';
export type { AcceptanceProblem, AcceptanceRule } from './bundle/acceptance/acceptance-problem.js';

// What a change of it means
export { diff } from './usecases/diff/diff.js';
export type {
  Diff,
  DiffOptions,
  DiffSide,
  DocumentReader,
  ObjectChange,
} from './usecases/diff/diff.js';
export { diffPackages } from './usecases/diff/diff-packages.js';
export type {
  ComparedPackage,
  DiffPackagesOptions,
  PackageSide,
} from './usecases/diff/diff-packages.js';
export type { DiffFinding, DiffPlace } from './usecases/diff/diff-finding.js';
export type { DiffSeverity } from './compare/severity.js';
export type { OwnerChange } from './compare/owner-changes.js';
export type { PackageChange, PackageChanges, Want } from './compare/package-changes.js';
export type { DocumentParser } from './usecases/diff/compare-documents.js';
export { documentParser } from './package-yaml/documents/parsed-pair.js';
export { imageDocuments } from './sources/image/image-documents.js';
export type { WantedImage } from './sources/image/image-documents.js';
export type {
  DocumentText,
  PackageDocument,
  ParsedDocument,
  ParsedPair,
} from './model/document/package-document.js';
export { plan } from './usecases/plan/plan.js';
export type { LockfilePlan, NoPlan, PlannedStep, PlanOptions } from './usecases/plan/plan.js';
export type { KeptChanges } from './usecases/plan/kept-changes.js';
export type { Impasse, PackageMove, PlanStep } from './plan/plan-journey.js';
export type { Between, Stop } from './plan/journey.js';
export type { Cause } from './plan/clash.js';
export { graphOfLockfile } from './graph/graph-of-lockfile.js';
export { graphOfDiff } from './graph/graph-of-diff.js';
export { graphOfRefusal } from './graph/graph-of-refusal.js';
export type {
  GraphClash,
  GraphEdge,
  GraphNode,
  GraphObject,
  NodeKind,
  PackageGraph,
} from './graph/package-graph.js';
export { mermaidText } from './graph/formats/mermaid.js';
export { dotText } from './graph/formats/dot.js';
