import { crossplane, oneOf, outputSchema, texts } from '../../cli/kit/json-schema.js';
import { fuzzOutput } from '../fuzz/output.js';
import { graphOutput } from '../graph/output.js';
import { matrixOutput } from '../matrix/json.js';
import { simulationOutput } from '../simulate/output.js';
import { renderOutput } from '../render/output.js';
import { outdatedOutput } from '../update/outdated-json.js';
import { treeOutput, whyOutput } from '../why/output.js';
import { checkOutput } from '../verify/check-output.js';
import { verifyOutput } from '../verify/output.js';

/** Documents of commands about the package set. */
export const SET_SCHEMAS = {
  'check-output': checkOutput.schema,
  'verify-output': verifyOutput.schema,
  'render-output': renderOutput.schema,
  'outdated-output': outdatedOutput.schema,
  'why-output': whyOutput.schema,
  'tree-output': treeOutput.schema,
  'graph-output': graphOutput.schema,
  'matrix-output': matrixOutput.schema,
  'simulate-output': simulationOutput.schema,
  'fuzz-output': fuzzOutput.schema,
} as const;
