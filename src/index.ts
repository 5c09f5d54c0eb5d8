// Reading the request
export {
  type InputOptions,
  type InputReadOptions,
  type InputSet,
  type Inputs,
  readInputs,
  requestFromPackageSet as packageSet,
} from './project/inputs/read-inputs.js';
export type { CombineOptions } from './project/inputs/request.js';
export type { InputFileOptions } from './project/inputs/input-files.js';
export type { FileReadOptions } from './project/inputs/read-inputs.js';
export {
  type ImageConfig,
  type ImageSetting,
  type KeptObject,
  imageConfigsIn,
} from './crossplane/package-manager/image-config.js';
export type {
  CrdRoot,
  LocalObject,
  LocalRoot,
  PackageRoot,
  Replacement,
  Request,
  RequestEdit,
  Root,
  RootVersion,
  VersionRule,
} from './project/inputs/request.js';
export { InputError, type Origin, SourceError, type SourceErrorCode } from './base/errors.js';

// Package sources
export type {
  Candidate,
  LockedParts,
  PackageKind,
  Released,
  Repository,
} from './crossplane/packages/package.js';
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
export { type DirOptions, openDir } from './sources/dir-source.js';
export { openIndex } from './sources/index/index-source.js';
export { memorySource } from './sources/memory-source.js';
export {
  type LayoutOptions,
  type XpkgOptions,
  openLayoutSource,
  openXpkgSource,
} from './sources/images/image-source.js';
export type { LayoutName } from './oci/store/image-layout.js';
export {
  type GivenSecret,
  type RegistriesOptions,
  openRegistries,
} from './sources/images/open-registries.js';
export { DiskCache, type DiskCacheOptions, type RecordKind } from './oci/store/disk-cache.js';
export type { BlobSink, OpenBlob } from './oci/image/image-repository.js';
export type { Exchange, NetworkObserver } from './oci/registry/transport.js';
export { firstKnowing } from './sources/decorators.js';
export type {
  IndexFile,
  IndexObject,
  IndexPackage,
  IndexVersion,
  IndexXrd,
} from './sources/index/index-file.js';
export type {
  Composed,
  CompositeDefinition,
  CompositionSpec,
  Definition,
  MetaDocument,
  PackageContents,
  PackageObject,
  ReleaseField,
  ResourceType,
  StreamProblem,
} from './crossplane/packages/package-contents.js';
export { OutOfTime, type TimeBudget, timeBudget } from './base/time.js';

// Packages, and how a Crossplane release reads them
export type { Digest } from './base/digest.js';
export type { JsonObject, JsonValue, Path } from './base/json.js';
export { readPackageYaml } from './crossplane/package-yaml/read-package-yaml.js';
export { type JudgeOptions, isRejection, judge } from './crossplane/packages/admission.js';
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
export type {
  KnownState,
  PackageManagerRules,
  ReleaseRules,
  TargetRules,
} from './crossplane/releases/release-facts.js';
export { type ReleaseKnowledge, type Target, targetFor } from './crossplane/releases/target.js';
export type { Dialect } from './crossplane/constraints/dialects.js';

// Resolving
export { type Move, type UpdateOptions, resolve, update } from './resolver/resolve/resolve.js';
export type { ProblemOptions, ResolveOptions } from './resolver/resolve/to-problem.js';
export type { Answer, GaveUp, Solved, Stats, Unsolvable } from './resolver/resolve/answer.js';
export type { Movement, Requirer, Requirers } from './resolver/resolve/movements.js';
export type { Selector } from './crossplane/constraints/constraint.js';
export type {
  Change,
  LockInputs,
  LockedPackage,
  LockedSigner,
  Lockfile,
  ObjectTemplate,
} from './project/lockfile/lockfile.js';
export type {
  CoreEntry,
  CoreKind,
  FactStatement,
  FactVersions,
  NamedFact,
  Refusal,
  RefusalClash,
  RefusalEdge,
  RefusalGraph,
  RefusalNode,
  RequirementPlace,
  Suggestion,
  Summary,
} from './resolver/explain/refusal.js';
export type { ChangeEffect } from './resolver/suggest/change-effect.js';
export type { ReadCounts } from './resolver/driver/read-stats.js';
export type { Effort } from './resolver/solver/search-result.js';

// Checking an answer later and on other releases
export { type Verification, type VerifyOptions, verify } from './features/verify/verify.js';
export type { Mismatch } from './project/lockfile/mismatch.js';
export {
  type AppliedSuggestion,
  type Outdated,
  type OutdatedOptions,
  type OutdatedReport,
  type UpdateAdvice,
  outdated,
} from './features/update/outdated.js';
export type { HeldBy } from './resolver/resolve/blocked-by.js';
export type { HeldByConstraint } from './resolver/resolve/blocked-by-text.js';
export { type WhyNot, whyNotChosen } from './resolver/resolve/why-not.js';
export {
  type Matrix,
  type MatrixOptions,
  type MatrixRow,
  type Verdict,
  matrix,
} from './features/matrix/matrix.js';
export type { Shard } from './base/collections.js';
export { type Breakage, type FuzzOptions, type FuzzReport, fuzz } from './features/fuzz/fuzz.js';
export type { RootChoice, Variation } from './features/fuzz/variations.js';

// The lockfile and its manifests
export { formatLockfile } from './project/lockfile/format-lockfile.js';
export { parseLockfile } from './project/lockfile/parse-lockfile.js';
export type { SignerOf } from './resolver/resolve/to-lockfile.js';
export { type Why, ownersOf, whyLocked } from './features/why/why.js';
export { type LockEdge, type TreeNode, lockTree } from './project/lockfile/lock-graph.js';
export { type RenderOptions, type Rendering, render } from './project/manifests/render.js';
export type { BundleLayout, RenderRecord } from './project/manifests/render-record.js';
export type { Bundle, BundleObjects } from './project/manifests/bundle.js';
export type { Pin } from './project/manifests/package-object.js';
export {
  type AcceptanceProblem,
  type AcceptanceRule,
  type Output,
  acceptanceProblems,
} from './project/manifests/acceptance.js';

// Comparing lockfiles and packages
export {
  type ComparedPackage,
  type Diff,
  type DiffOptions,
  type DiffPackagesOptions,
  type DiffSide,
  type DocumentReader,
  type ObjectChange,
  type PackageSide,
  diff,
  diffPackages,
} from './features/diff/diff.js';
export type { DiffFinding, DiffPlace, DiffSeverity } from './features/diff/findings.js';
export type { OwnerChange, PackageChange, PackageChanges, Want } from './features/diff/changes.js';
export type { DocumentParser } from './features/diff/documents.js';
export type { DroppedField } from './features/diff/dropped-fields.js';
export { documentParser } from './crossplane/package-yaml/document-pair.js';
export { type WantedImage, imageDocuments } from './sources/images/image-documents.js';
export type { DocumentText } from './crossplane/package-yaml/split-documents.js';
export type { PackageDocument } from './crossplane/package-yaml/read-package-yaml.js';
export type { ParsedDocument, ParsedPair } from './crossplane/package-yaml/document-pair.js';
export {
  type KeptChanges,
  type LockfilePlan,
  type NoPlan,
  type PlanContents,
  type PlanOptions,
  type PlannedStep,
  plan,
} from './features/plan/plan.js';
export type { Impasse } from './features/plan/ordering.js';
export type { PackageMove, PlanStep } from './features/plan/steps.js';
export type { Between, Cause, Stop } from './features/plan/journey.js';
export { graphOfDiff, graphOfLockfile, graphOfRefusal } from './features/graph/build-graph.js';
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
