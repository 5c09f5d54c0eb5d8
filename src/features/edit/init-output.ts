import {
  constant,
  jsonOutput,
  outputSchema,
  type Static,
  text,
} from '../../cli/kit/json-schema.js';
import { DEFAULT_FILES } from '../../project/inputs/input-files.js';

const schema = outputSchema('init -o json', {
  status: constant('solved', 'What it asks for has an answer.'),
  file: text('File that is written.'),
  text: text('What is in it.'),
});

export const initOutput = jsonOutput(schema, (project: string): Static<typeof schema> => ({
  status: 'solved',
  file: DEFAULT_FILES[0]!,
  text: project,
}));
