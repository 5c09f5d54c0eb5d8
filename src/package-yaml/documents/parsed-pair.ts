import type {
  DocumentText,
  ParsedDocument,
  ParsedPair,
} from '../../model/document/package-document.js';
import { lineFinder } from '../../text/line-finder.js';
import { findPlace, placesOf } from '../../text/yaml/places.js';
import type { Path } from '../../text/yaml/path.js';
import { partsProblem } from '../document-limits.js';
import { parseGoYaml, type GoDocument } from '../go-yaml.js';
import type { CutText } from './cut-text.js';
import { differingParts } from './differing-parts.js';

/** Turns two documents of one object to values, for `diff`: of a definition, what differs suffices. */
export const documentParser = { differing: parsedPair, whole: parsedWhole };

/** Parses two documents of one definition, without what both say alike where that is plain to see. */
export function parsedPair(old: DocumentText, fresh: DocumentText): ParsedPair {
  const parts = differingParts(old.text, fresh.text);
  if (parts !== undefined) {
    const pair = { old: parsed(old, parts.old), fresh: parsed(fresh, parts.fresh) };
    if ('value' in pair.old && 'value' in pair.fresh) return { old: pair.old, fresh: pair.fresh };
  }
  return parsedWhole(old, fresh);
}

/** Parses two documents of one object. */
export function parsedWhole(old: DocumentText, fresh: DocumentText): ParsedPair {
  const [before, after] = [parsed(old), parsed(fresh)];
  if ('problem' in before) return before;
  return 'problem' in after ? after : { old: before, fresh: after };
}

function parsed(
  { text, line }: DocumentText,
  cut?: CutText,
): ParsedDocument | { readonly problem: string } {
  const read = cut?.text ?? text;
  const problem = partsProblem(read);
  if (problem !== undefined) return { problem };
  const document = parseGoYaml(read);
  if ('error' in document) return { problem: document.error };
  const offsetOf = offsetFinder(document);
  let lineOf: ((offset: number) => number) | undefined;
  return {
    value: document.value,
    lineOf: (path) => {
      const offset = offsetOf(path);
      return line - 1 + (lineOf ??= lineFinder(text))(cut?.offsetOf(offset) ?? offset);
    },
  };
}

/** Places are looked up only for what is found. */
function offsetFinder({ source, events }: GoDocument): (path: Path) => number {
  let root: ReturnType<typeof placesOf>;
  return (path) => {
    root ??= placesOf(source, events);
    return root === undefined ? 0 : findPlace(root, path).offset;
  };
}
