import { OWNED_KINDS } from '../../../model/owned-object.js';
import { PACKAGE_KINDS } from '../../../model/package.js';
import { crossplane } from '../schemas/fields.js';
import { flag, list, oneOf, outputSchema, record, text, texts } from '../schemas/parts.js';

const id = text('Id of a node.');
const change = oneOf(['added', 'removed', 'moved'], 'Of a diff: what becomes of it.');

const object = record(
  {
    kind: oneOf(OWNED_KINDS, 'Kind of object; a claim is the CRD that an XRD adds.'),
    name: text('Its name.'),
    'change?': oneOf(['added', 'removed'], 'Of a diff: what becomes of it.'),
    'other?': text('Of a diff: the package that owned it before, or does after.'),
  },
  'An object that a package owns.',
);

const node = record(
  {
    id: text('Of a package its OCI repository.'),
    kind: oneOf(
      [...PACKAGE_KINDS, 'Package', 'Input', 'API', 'Crossplane'],
      'Kind of package, of which `Package` is not known; the others stand in refusals.',
    ),
    name: text('The shortest end of the id that no other package has.'),
    'version?': text('Tag or digest; of a refusal, the versions that are spoken of.'),
    'from?': text('Of a diff: the version before.'),
    direct: flag('Whether the user asks for it by name.'),
    'change?': change,
    'digest?': text('What the tag points at.'),
    'crossplane?': text('The Crossplane that it needs.'),
    owns: list(object, 'What it owns, by kind and name.'),
  },
  'A package, or what else a refusal speaks of.',
);

const edge = record(
  {
    from: id,
    to: id,
    constraints: texts('Which versions are required, as written; empty: any.'),
    'constraintsBefore?': texts('Of a diff, where it differs: which were.'),
    'change?': change,
    unmet: flag('What is required is not what there is.'),
  },
  'That one requires the other; from an API: that the other owns it.',
);

const clash = record(
  {
    kind: oneOf(['versions', 'ownership', 'cycle', 'crossplane', 'fact'], 'What sort it is.'),
    text: text('What cannot be, as a sentence without its full stop.'),
    nodes: list(id, 'What it is about.'),
  },
  'Something that cannot be.',
);

/** JSON Schema of what `graph -o json` prints. */
export const GRAPH_OUTPUT_SCHEMA = outputSchema('graph -o json', {
  of: oneOf(['lockfile', 'diff', 'refusal'], 'What is drawn.'),
  crossplane,
  'crossplaneBefore?': text('Of a diff: the Crossplane release before, where it differs.'),
  nodes: list(node, 'By id.'),
  edges: list(edge, 'By the ids of both ends.'),
  clashes: list(clash, 'What cannot be.'),
  story: texts('Of a refusal: why there is no answer.'),
  hints: texts('Of a refusal: changes that would help, each alone.'),
});
