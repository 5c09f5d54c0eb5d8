/** Tells where a value departs from what it should be; undefined: nowhere. */
export type PartShape = (value: unknown, at: string) => string | undefined;

export const aText: PartShape = (value, at) => (typeof value === 'string' ? undefined : at);

export const aNumber: PartShape = (value, at) => (Number.isFinite(value) ? undefined : at);

/** A whole number, 0 or more. */
export const aCount: PartShape = (value, at) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : at;

export function anyOf(values: readonly unknown[]): PartShape {
  return (value, at) => (values.includes(value) ? undefined : at);
}

export function eachOf(shape: PartShape): PartShape {
  return (value, at) => {
    if (!Array.isArray(value)) return at;
    return firstOf(value.map((item, i) => shape(item, `${at}[${i}]`)));
  };
}

/** A list that is not empty. */
export function someOf(shape: PartShape): PartShape {
  return (value, at) =>
    Array.isArray(value) && value.length === 0 ? at : eachOf(shape)(value, at);
}

/** An object whose fields are all there, but for those that end in `?`. */
export function havingFields(shapes: Readonly<Record<string, PartShape>>): PartShape {
  return (value, at) => {
    if (!isObject(value)) return at;
    return firstOf(
      Object.entries(shapes).map(([key, shape]) => {
        const name = key.replace('?', '');
        const given = value[name];
        if (given === undefined && name !== key) return undefined;
        return shape(given, at === '' ? name : `${at}.${name}`);
      }),
    );
  };
}

/** An object, whatever its fields are called. */
export function everyField(shape: PartShape): PartShape {
  return (value, at) => {
    if (!isObject(value)) return at;
    return firstOf(Object.entries(value).map(([name, each]) => shape(each, `${at}.${name}`)));
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstOf(places: readonly (string | undefined)[]): string | undefined {
  return places.find((place) => place !== undefined);
}
