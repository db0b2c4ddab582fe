/** `base`, or `base_2` and so on: the first name that is not taken. */
export function freeName(base: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!isTaken(name)) return name;
  }
}
