import { load, parseEvents, YAMLException } from 'js-yaml';
import { InputError } from '../model/input-error.js';
import { conflictMarkerLine } from '../text/conflict-markers.js';
import { lineAt } from '../text/line-finder.js';
import { findPlace, placesOf } from '../text/yaml/places.js';
import { formatPath, type Path } from '../text/yaml/path.js';

/** The one YAML document of a file, and how to refuse a part of it. */
export interface LocatedDocument {
  readonly value: unknown;
  /** An error that names the part, and the line it stands on, or would. */
  readonly error: (path: Path, what: string, hint?: string) => InputError;
}

/** Duplicate keys, aliases and a second document are refused. */
export function parseLocatedDocument(text: string, file: string): LocatedDocument {
  return {
    value: parsed(text, file),
    error: (path, what, hint) => {
      // Looked up when there is something to refuse: finding the places takes as long as reading.
      const root = placesOf(text, parseEvents(text, {}));
      const line = root === undefined ? 1 : lineAt(text, findPlace(root, path).offset);
      const subject = path.length === 0 ? '' : `\`${formatPath(path)}\` `;
      return new InputError(`${subject}${what}`, {
        origin: { file, line },
        ...(hint === undefined ? {} : { hint }),
      });
    },
  };
}

function parsed(text: string, file: string): unknown {
  const merging = conflictMarkerLine(text);
  if (merging !== undefined) {
    throw new InputError('has the conflict markers of a merge', {
      origin: { file, line: merging },
      hint: `take one side, for example with \`git checkout --ours ${file}\`, and run \`xpkg-resolve resolve\``,
    });
  }
  try {
    return load(text, { maxAliases: 0 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark?.line;
    throw new InputError(`not readable as YAML: ${error.reason}`, {
      origin: { file, line: line === undefined ? undefined : line + 1 },
      cause: error,
    });
  }
}
