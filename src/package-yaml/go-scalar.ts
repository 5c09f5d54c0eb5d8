const WORDS: ReadonlyMap<string, null | boolean | number> = new Map<
  string,
  null | boolean | number
>([
  ...spellings(null, ['', '~', 'null', 'Null', 'NULL']),
  ...spellings(true, ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']),
  ...spellings(false, ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']),
  ...spellings(Number.NaN, ['.nan', '.NaN', '.NAN']),
  ...spellings(Infinity, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']),
  ...spellings(-Infinity, ['-.inf', '-.Inf', '-.INF']),
]);

function spellings<T>(value: T, texts: readonly string[]): [string, T][] {
  return texts.map((text) => [text, value]);
}

const NUMBER_START = /^[-+.0-9]/;
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/**
 * A plain scalar as Go's YAML library (goyaml.v2, under sigs.k8s.io/yaml) reads it.
 *
 * Neither YAML 1.1 nor 1.2: `yes` and `y` are true, `0777` and `0o777` are 511, `1_000` is 1000,
 * while dates and `1:30` stay text.
 */
export function goScalar(text: string): null | boolean | number | string {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!NUMBER_START.test(text)) return text;
  const plain = text.replaceAll('_', '');
  return integer(plain) ?? (FLOAT.test(plain) ? Number(plain) : text);
}

function integer(text: string): number | undefined {
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const magnitude =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : binary !== undefined
        ? Number.parseInt(binary, 2)
        : octal !== undefined
          ? Number.parseInt(octal, 8)
          : Number(decimal);
  return sign === '-' && magnitude !== 0 ? -magnitude : magnitude;
}
