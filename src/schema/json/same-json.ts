/** True when two JSON values are equal by content. The order of keys does not matter; a member that is `undefined` counts as absent. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  let surplus = 0;
  for (const key of Object.keys(right)) if (Reflect.get(right, key) !== undefined) surplus += 1;
  for (const key of Object.keys(left)) {
    const item: unknown = Reflect.get(left, key);
    if (item === undefined) continue;
    if (!Object.hasOwn(right, key) || !sameJson(item, Reflect.get(right, key))) return false;
    surplus -= 1;
  }
  return surplus === 0;
}
