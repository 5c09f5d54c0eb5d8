// Reading what is asked for
export { readInputs, requestFromPackageSet as packageSet } from './project/inputs/read-inputs.js';
export type { CombineOptions } from './project/inputs/combine.js';
export type {
  InputOptions,
  InputReadOptions,
  Inputs,
  InputSet,
} from './project/inputs/read-inputs.js';
export type { InputFileOptions } from './project/inputs/input-files.js';
export type { FileReadOptions } from './project/inputs/read-files.js';
export type { KeptObject } from './crossplane/package-manager/image-config.js';
export type {
  CrdRoot,
  LocalObject,
  LocalRoot,
  PackageRoot,
  Replacement,
  Request,
  Root,
  RootVersion,
  VersionRule,
} from './project/inputs/request.js';
export { InputError } from './base/errors.js';

// Where packages come from
export type { Released } from './crossplane/packages/package.js';
export type {
  AskedPackage,
  FetchedPackage,
  IndexState,
  Owner,
  PackageSource,
} from './sources/package-source.js';
export type { MinimumAge, Policy, PolicyEntry } from './project/inputs/policy.js';
export type {
  CandidateRule,
  ReleaseRequirement,
  Ruling,
  RulingKind,
} from './resolver/solver/problem.js';
export type { PolicyOptions } from './resolver/resolve/policy-rules.js';
export { openDir } from './sources/dir-source.js';
export type { DirOptions } from './sources/dir-source.js';
export { openIndex } from './sources/index/index-source.js';
export { memorySource } from './sources/memory-source.js';
export { openLayoutSource } from './sources/images/image-source.js';
export type { LayoutOptions } from './sources/images/image-source.js';
export type { LayoutName } from './oci/store/image-layout.js';
export { openXpkgSource } from './sources/images/image-source.js';
export type { XpkgOptions } from './sources/images/image-source.js';
export { openRegistries } from './sources/images/open-registries.js';
export type { GivenSecret, RegistriesOptions } from './sources/images/open-registries.js';
export { imageConfigsIn } from './crossplane/package-manager/image-config.js';
export type { ImageConfig, ImageSetting } from './crossplane/package-manager/image-config.js';
export { DiskCache } from './oci/store/disk-cache.js';
export type { DiskCacheOptions, RecordKind } from './oci/store/disk-cache.js';
export type { OpenBlob } from './oci/image/image-repository.js';
export type { BlobSink } from './oci/image/image-repository.js';
export type { Exchange, NetworkObserver } from './oci/registry/transport.js';
export { firstKnowing } from './sources/decorators.js';
export type {
  IndexFile,
  IndexObject,
  IndexPackage,
  IndexVersion,
  IndexXrd,
} from './sources/index/index-file.js';
export type { CompositionSpec } from './crossplane/packages/package-contents.js';
export type { Definition } from './crossplane/packages/package-contents.js';
export { timeBudget } from './base/time.js';
export type { TimeBudget } from './base/time.js';
export { OutOfTime } from './base/time.js';
export { SourceError } from './base/errors.js';
export type { SourceErrorCode } from './base/errors.js';

// What a package is, and what a release makes of it
export type { Origin } from './base/errors.js';
export type {
  Candidate,
  LockedParts,
  PackageKind,
  Repository,
} from './crossplane/packages/package.js';
export type { Digest } from './base/digest.js';
export type { JsonObject, JsonValue } from './base/json.js';
export type { Path } from './base/json.js';
export { readPackageYaml } from './crossplane/package-yaml/read-package-yaml.js';
export type {
  Composed,
  CompositeDefinition,
  MetaDocument,
  PackageContents,
  PackageObject,
  ReleaseField,
  ResourceType,
  StreamProblem,
} from './crossplane/packages/package-contents.js';
export { isRejection, judge } from './crossplane/packages/admission.js';
export type { JudgeOptions } from './crossplane/packages/admission.js';
export type {
  CrdRequirement,
  Finding,
  PackageMeta,
  PackageRequirement,
  Rejection,
  Requirement,
} from './crossplane/packages/package-meta.js';
export type { OwnedKind, OwnedObject } from './crossplane/packages/owned-objects.js';
export type { CrdRef as CrdDemand } from './crossplane/packages/crd-ref.js';
export { targetFor } from './crossplane/releases/target.js';
export type { ReleaseRules, Target, TargetRules } from './crossplane/releases/target.js';
export type { Dialect } from './crossplane/constraints/version.js';

// Finding the set
export { resolve } from './resolver/resolve/resolve.js';
export type { ResolveOptions } from './resolver/resolve/to-problem.js';
export type { Answer, GaveUp, Solved, Stats, Unsolvable } from './resolver/resolve/answer.js';
export type { ProblemOptions } from './resolver/resolve/to-problem.js';
export type { Requirer, Requirers } from './resolver/resolve/movements.js';
export type { Selector } from './crossplane/constraints/constraint.js';
export type { Movement } from './resolver/resolve/movements.js';
export type { Change } from './project/lockfile/lockfile.js';
export type { Refusal } from './resolver/explain/refusal.js';
export type { Suggestion } from './resolver/explain/refusal.js';
export type { ChangeEffect } from './resolver/suggest/change-effect.js';
export type { Summary } from './resolver/explain/refusal.js';
export type {
  RefusalClash,
  RefusalEdge,
  RefusalGraph,
  RefusalNode,
} from './resolver/explain/refusal.js';
export type { RequestEdit } from './project/inputs/request.js';
export type { CoreKind } from './resolver/explain/refusal.js';
export type { CoreEntry } from './resolver/explain/refusal.js';
export type {
  FactStatement,
  FactVersions,
  NamedFact,
  RequirementPlace,
} from './resolver/explain/refusal.js';
export type { ReadCounts } from './resolver/driver/read-stats.js';
export type { Effort } from './resolver/solver/search-result.js';

// What becomes of it later, and elsewhere
export { update } from './resolver/resolve/resolve.js';
export type { Move, UpdateOptions } from './resolver/resolve/resolve.js';
export { verify } from './features/verify/verify.js';
export type { Verification, VerifyOptions } from './features/verify/verify.js';
export type { Mismatch } from './project/lockfile/mismatch.js';
export { outdated } from './features/update/outdated.js';
export type {
  AppliedSuggestion,
  Outdated,
  OutdatedOptions,
  OutdatedReport,
  UpdateAdvice,
} from './features/update/outdated.js';
export type { HeldBy } from './resolver/resolve/blocked-by.js';
export type { HeldByConstraint } from './resolver/resolve/blocked-by-text.js';
export { whyNotChosen } from './resolver/resolve/why-not.js';
export type { WhyNot } from './resolver/resolve/why-not.js';
export { matrix } from './features/matrix/matrix.js';
export type { Matrix, MatrixOptions, MatrixRow, Verdict } from './features/matrix/matrix.js';
export type { Shard } from './base/collections.js';
export { fuzz } from './features/fuzz/fuzz.js';
export type { Breakage, FuzzOptions, FuzzReport } from './features/fuzz/fuzz.js';
export type { RootChoice, Variation } from './features/fuzz/variations.js';

// The lockfile, and what is made from it
export { formatLockfile } from './project/lockfile/format-lockfile.js';
export { parseLockfile } from './project/lockfile/parse-lockfile.js';
export type { LockInputs } from './project/lockfile/lockfile.js';
export type {
  LockedPackage,
  LockedSigner,
  Lockfile,
  ObjectTemplate,
} from './project/lockfile/lockfile.js';
export type { SignerOf } from './resolver/resolve/to-lockfile.js';
export { ownersOf, whyLocked } from './features/why/why.js';
export type { Why } from './features/why/why.js';
export type { LockEdge } from './project/lockfile/lock-graph.js';
export { lockTree } from './project/lockfile/lock-graph.js';
export type { TreeNode } from './project/lockfile/lock-graph.js';
export { render } from './project/manifests/render.js';
export type { BundleLayout } from './project/manifests/render-record.js';
export type { Rendering, RenderOptions } from './project/manifests/render.js';
export type { RenderRecord } from './project/manifests/render-record.js';
export type { Bundle, BundleObjects } from './project/manifests/bundle.js';
export type { Pin } from './project/manifests/package-object.js';
export { acceptanceProblems } from './project/manifests/acceptance.js';
export type { Output } from './project/manifests/acceptance.js';
export type { AcceptanceProblem, AcceptanceRule } from './project/manifests/acceptance.js';

// What a change of it means
export { diff } from './features/diff/diff.js';
export type {
  Diff,
  DiffOptions,
  DiffSide,
  DocumentReader,
  ObjectChange,
} from './features/diff/diff.js';
export { diffPackages } from './features/diff/diff.js';
export type { ComparedPackage, DiffPackagesOptions, PackageSide } from './features/diff/diff.js';
export type { DiffFinding, DiffPlace } from './features/diff/findings.js';
export type { DiffSeverity } from './features/diff/findings.js';
export type { OwnerChange } from './features/diff/changes.js';
export type { PackageChange, PackageChanges, Want } from './features/diff/changes.js';
export type { DocumentParser } from './features/diff/documents.js';
export { documentParser } from './crossplane/package-yaml/document-pair.js';
export { imageDocuments } from './sources/images/image-documents.js';
export type { WantedImage } from './sources/images/image-documents.js';
export type {
  DocumentText,
  PackageDocument,
  ParsedDocument,
  ParsedPair,
} from './crossplane/package-yaml/package-documents.js';
export { plan } from './features/plan/plan.js';
export type { LockfilePlan, NoPlan, PlannedStep, PlanOptions } from './features/plan/plan.js';
export type { PlanContents } from './features/plan/plan.js';
export type { KeptChanges } from './features/plan/plan.js';
export type { Impasse } from './features/plan/ordering.js';
export type { PackageMove, PlanStep } from './features/plan/steps.js';
export type { Between, Stop } from './features/plan/journey.js';
export type { Cause } from './features/plan/journey.js';
export { graphOfLockfile } from './features/graph/build-graph.js';
export { graphOfDiff } from './features/graph/build-graph.js';
export { graphOfRefusal } from './features/graph/build-graph.js';
export type {
  GraphClash,
  GraphEdge,
  GraphNode,
  GraphObject,
  NodeKind,
  PackageGraph,
} from './features/graph/package-graph.js';
export { mermaidText } from './features/graph/mermaid-format.js';
export { dotText } from './features/graph/dot-format.js';
