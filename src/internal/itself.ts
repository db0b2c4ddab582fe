/**
 * The private fields of a class that extends this one are put on the object that is given: a way to know something of an
 * object, where nobody sees it, that is gone with the object and costs the same however many there are. Garbage collection
 * goes through all of a WeakMap or WeakSet. The object must be extensible.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Only a constructor can do this.
export class Itself {
  constructor(object: object) {
    // oxlint-disable-next-line no-constructor-return -- See above.
    return object;
  }
}
