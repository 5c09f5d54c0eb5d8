import type { CST } from 'yaml';
import type { JsonValue } from '../../text/json.js';
import { doubleQuoted, writeYaml } from '../../text/yaml/write-yaml.js';

/** A scalar, `[]` or `{}` on one line, in the quotes of what it replaces. */
export function inlineText(value: JsonValue, old: CST.Token | undefined): string {
  if (typeof value !== 'string') return writeYaml(value).trimEnd();
  if (old?.type === 'double-quoted-scalar') return doubleQuoted(value);
  if (old?.type === 'single-quoted-scalar' && !/\p{C}|[\u2028\u2029]/u.test(value)) {
    return `'${value.replaceAll("'", "''")}'`;
  }
  return writeYaml(value).trimEnd();
}
