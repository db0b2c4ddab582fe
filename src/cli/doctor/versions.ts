/** The numbers of a version, such as `24.21.0` or `0.0.18`; what follows a dash does not count. */
function numbersOf(version: string): readonly number[] {
  return (version.split('-')[0] ?? '').split('.').map(Number);
}

/** Whether a version is this one or a later one. Parts that are left out are 0. */
export function isAtLeast(version: string, least: string): boolean {
  const wanted = numbersOf(least);
  const found = numbersOf(version);
  for (let index = 0; index < 3; index += 1) {
    const difference = (found[index] ?? 0) - (wanted[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The number before the first point. */
export function majorOf(version: string): number {
  return numbersOf(version)[0] ?? 0;
}

/** Whether a version is in a range of the package.json of this package: `^6 || ^7`, `^0.3`, `>=8.13`. */
export function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => isInPart(version, part.trim()));
}

function isInPart(version: string, part: string): boolean {
  if (part.startsWith('>=')) return isAtLeast(version, part.slice(2));
  const least = part.replace(/^\^/, '');
  const wanted = numbersOf(least);
  const found = numbersOf(version);
  // A caret keeps everything up to the first number that is not 0.
  const first = wanted.findIndex((number) => number > 0);
  const kept = first < 0 ? wanted.length : first + 1;
  return isAtLeast(version, least) && wanted.slice(0, kept).every((number, index) => number === found[index]);
}
