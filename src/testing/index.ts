export { exhaustive } from './exhaustive.js';
export type { ExhaustiveOptions } from './exhaustive.js';
export { DEFAULT_KNOBS } from './knobs.js';
export type { Knobs } from './knobs.js';
export { packageSet } from './package-set.js';
export type { Outcome, Resolver, ResolverOptions } from './resolver.js';
export { scenario } from './scenario.js';
export type { Scenario } from './scenario.js';
export { universe } from './universe.js';
