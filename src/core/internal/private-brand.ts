/**
 * Return-override base class: a subclass stamps its private fields onto the object passed to its constructor. Other code cannot see
 * them, and they are collected with the object. Measurably faster than a WeakMap where millions of objects are marked, because a
 * garbage collection visits every entry of a WeakMap. The object must be extensible.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Only a constructor can return another object.
export class PrivateBrand {
  constructor(object: object) {
    // oxlint-disable-next-line no-constructor-return -- See above.
    return object;
  }
}
