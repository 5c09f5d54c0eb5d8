// Generators
export { universe } from './generators/universe.js';
export { packageSet } from './generators/package-set.js';
export { scenario } from './generators/scenario.js';
export type { Scenario } from './generators/scenario.js';
export { DEFAULT_KNOBS } from './generators/knobs.js';
export type { Knobs } from './generators/knobs.js';
export { lockfile } from './generators/lockfile.js';
export type { LockfileKnobs } from './generators/lockfile.js';
export { packageYaml } from './generators/package-yaml.js';
export type { PackageStream, PackageYamlKnobs } from './generators/package-yaml.js';
export { builtImage, imageRepository, packageImage } from './generators/package-image.js';
export type { ImageKnobs, ImagePlan, PackageImage } from './generators/package-image.js';
export type { BlobSink, ExpectedBlob } from '../oci/image/image-repository.js';
export type { Blob } from '../oci/image/build-image.js';
export type { Descriptor } from '../oci/image/descriptor.js';
export type { ImageRepository, StoredManifest } from '../oci/image/image-repository.js';
export { aroundPackage } from './generators/neighborhood.js';
export type { AroundOptions, Neighbourhood } from './generators/neighborhood.js';

// Oracles
export { exhaustive } from './oracles/exhaustive.js';
export type { ExhaustiveOptions } from './oracles/exhaustive.js';
export { satOracle } from './oracles/sat-oracle.js';

// Properties of resolvers
export { laws } from './properties/laws.js';
export type { Law, LawOptions } from './properties/laws.js';
export { checkLaws } from './properties/laws.js';
export type { CheckOptions, LawName, LawResult } from './properties/laws.js';
export { xpkgResolver } from './properties/xpkg-resolver.js';
export type {
  Core,
  CoreScenario,
  MatrixOutcome,
  Outcome,
  Resolver,
  ResolverOptions,
  SolvedOutcome,
  UnsolvableOutcome,
} from './resolver.js';

// Matchers and printed scenarios
export { assertConflictsOn, assertResolves, assertSelects, matchers } from './matchers.js';
export type { MatcherResult, PackageMatchers } from './matchers.js';
export type { MatcherSubject, Selection, Situation } from './matchers.js';
export { caseFiles, printUniverse } from './generators/scenario.js';
export type { CaseFiles } from './generators/scenario.js';
