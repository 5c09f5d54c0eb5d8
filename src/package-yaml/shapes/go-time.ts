const RFC_3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))$/;

/** Whether Go reads a text as a time of RFC 3339: an hour may have one digit, and an offset be 24 hours or end in 60. */
export function isGoTime(text: string): boolean {
  const found = RFC_3339.exec(text);
  if (found === null) return false;
  const [year, month, day, hour, minute, second, hours, minutes] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0)) as [number, number, number, ...number[]];
  const limits: readonly (readonly [number | undefined, number])[] = [
    [hour, 23],
    [minute, 59],
    [second, 59],
    [hours, 24],
    [minutes, 60],
  ];
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return isDay && limits.every(([value = 0, most]) => value <= most);
}

function daysIn(year: number, month: number): number {
  const first = new Date(0);
  // Not `new Date(year, …)`, which takes years below 100 for those of the last century.
  first.setUTCFullYear(year, month, 0);
  return first.getUTCDate();
}
