import type { JsonValue } from '../../text/json.js';
import { writeYaml } from '../../text/yaml/write-yaml.js';
import { applyPatch } from './apply-patch.js';
import type { FileEdit } from './input-edit.js';

/**
 * The texts of the files that edits change, as they become; a file that has no text yet gets one.
 * Throws an `InputError` where a text cannot say it without a change elsewhere.
 */
export function editedTexts(
  edits: readonly FileEdit[],
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const edited = new Map<string, string>();
  for (const edit of edits) {
    const text = edited.get(edit.file) ?? texts.get(edit.file);
    edited.set(edit.file, text === undefined ? newText(edit) : changed(text, edit));
  }
  return edited;
}

function changed(text: string, { document, patch }: FileEdit): string {
  return applyPatch(text, document, patch);
}

function newText({ patch }: FileEdit): string {
  const values = patch.flatMap((one): JsonValue[] => ('value' in one ? [one.value] : []));
  return values.map((value) => writeYaml(value)).join('');
}
