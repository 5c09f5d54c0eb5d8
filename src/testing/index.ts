// Generators
export { universe } from './generate/universe.js';
export { packageSet } from './generate/package-set.js';
export { scenario } from './generate/scenario.js';
export type { Scenario } from './generate/scenario.js';
export { DEFAULT_KNOBS } from './generate/knobs.js';
export type { Knobs } from './generate/knobs.js';
export { lockfile } from './generate/lockfile.js';
export type { LockfileKnobs } from './generate/lockfile.js';
export { packageYaml } from './generate/package-yaml.js';
export type { PackageStream, PackageYamlKnobs } from './generate/package-yaml.js';
export { builtImage, imageRepository, packageImage } from './generate/package-image.js';
export type { ImageKnobs, ImagePlan, PackageImage } from './generate/package-image.js';
export type { BlobSink, ExpectedBlob } from '../image/blob.js';
export type { Blob } from '../image/build-image.js';
export type { Descriptor } from '../image/descriptor.js';
export type { ImageRepository, StoredManifest } from '../image/image-repository.js';
export { aroundPackage } from './generate/around-package.js';
export type { AroundOptions, Neighbourhood } from './generate/around-package.js';

// Oracles
export { exhaustive } from './oracle/exhaustive.js';
export type { ExhaustiveOptions } from './oracle/exhaustive.js';
export { satOracle } from './oracle/sat-oracle.js';

// Laws
export { laws } from './laws/laws.js';
export type { Law, LawOptions } from './laws/law.js';
export { checkLaws } from './laws/check-laws.js';
export type { CheckOptions, LawName, LawResult } from './laws/check-laws.js';
export { xpkgResolver } from './laws/xpkg-resolver.js';
export type {
  Core,
  CoreScenario,
  MatrixOutcome,
  Outcome,
  Resolver,
  ResolverOptions,
  SolvedOutcome,
  UnsolvableOutcome,
} from './laws/resolver.js';

// Matchers, and what a failure prints
export { assertConflictsOn, assertResolves, assertSelects, matchers } from './matchers.js';
export type { MatcherResult, PackageMatchers } from './matchers.js';
export type { MatcherSubject, Selection, Situation } from './judgement.js';
export { caseFiles, printUniverse } from './print-universe.js';
export type { CaseFiles } from './print-universe.js';
