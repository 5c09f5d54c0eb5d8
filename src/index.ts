export { packageSet, readInputs } from './inputs/read-inputs.js';
export type { InputOptions, Inputs } from './inputs/read-inputs.js';
export { InputError } from './model/input-error.js';
export { SourceError } from './model/source-error.js';
export type { PackageSource } from './model/package-source.js';
export type { Request } from './model/request.js';
