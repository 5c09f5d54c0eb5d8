const WORDS_BY_VALUE: readonly (readonly [value: null | boolean | number, words: string])[] = [
  [null, '~ null Null NULL'],
  [true, 'y Y yes Yes YES true True TRUE on On ON'],
  [false, 'n N no No NO false False FALSE off Off OFF'],
  [Number.NaN, '.nan .NaN .NAN'],
  [Infinity, '.inf .Inf .INF +.inf +.Inf +.INF'],
  [-Infinity, '-.inf -.Inf -.INF'],
];

const WORDS: ReadonlyMap<string, null | boolean | number> = new Map([
  ['', null],
  ...WORDS_BY_VALUE.flatMap(([value, words]) =>
    words.split(' ').map((word) => [word, value] as const),
  ),
]);

/** Longer scalars are never words with a special meaning. */
export const LONGEST_WORD = Math.max(...Array.from(WORDS.keys(), (word) => word.length));

const [PLUS, MINUS, POINT, ZERO, NINE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];
const INTEGER =
  /^([-+]?)(?:(0[xX])0*([1-9a-fA-F][0-9a-fA-F]*|0)|(0[bB])0*(1[01]*|0)|0[oO]?0*([1-7][0-7]*|0)|([1-9][0-9]*|0))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Go reads numbers with a sign as int64, and numbers without one as uint64. */
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const MAX_DIGITS = 64;

/**
 * Returns the value of a plain scalar as Go reads it (goyaml.v2, under sigs.k8s.io/yaml), which is
 * neither YAML 1.1 nor 1.2: `yes` and `y` are true, `0777` and `0o777` are 511, `1_000` is 1000,
 * while dates and `1:30` stay text. `.inf` and `.nan` give numbers that JSON does not have.
 */
export function goScalar(text: string): null | boolean | number | string {
  const word = text.length > LONGEST_WORD ? undefined : WORDS.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const digit = first >= ZERO && first <= NINE;
  if (!digit && first !== PLUS && first !== MINUS && first !== POINT) return text;
  // In numbers that begin with a point, Go accepts underscores only between digits.
  if (text.startsWith('.') && /(?<![0-9])_|_(?![0-9])/.test(text)) return text;
  const plain = text.replaceAll('_', '');
  return integer(plain) ?? float(plain) ?? text;
}

function integer(text: string): number | undefined {
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hexPrefix, hex, binaryPrefix, binary, octal, decimal] = match;
  const digits = hex ?? binary ?? octal ?? decimal!;
  if (digits.length > MAX_DIGITS) return undefined;
  const prefix = hexPrefix ?? binaryPrefix ?? (octal === undefined ? '' : '0o');
  const magnitude = BigInt(`${prefix}${digits}`);
  const value = sign === '-' ? -magnitude : magnitude;
  const max = sign === '' ? UINT64_MAX : INT64_MAX;
  return value >= INT64_MIN && value <= max ? Number(value) : undefined;
}

/** Returns undefined for numbers too large for a float: they are text. */
function float(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
