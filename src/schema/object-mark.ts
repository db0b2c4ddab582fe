/** Remembers objects as long as they live. */
export interface ObjectMark {
  add(object: object): void;
  has(object: object): boolean;
}

/** The fields of a class that extends this one are put on the object that is given. */
// oxlint-disable-next-line typescript/no-extraneous-class -- Only a constructor can do this.
class Itself {
  constructor(object: object) {
    // oxlint-disable-next-line no-constructor-return -- See above.
    return object;
  }
}

/**
 * Makes a set of objects that writes its mark on the objects, where nobody sees it: it costs the same however many there are.
 * A WeakSet does not, once it holds hundreds of thousands: every garbage collection goes through all of it. Only objects that
 * cannot be extended, and so not be written on, go into one.
 */
export function createObjectMark(): ObjectMark {
  class Mark extends Itself {
    // oxlint-disable-next-line no-unused-private-class-members -- Its being there is the mark.
    readonly #isMarked = true;

    static has(object: object): boolean {
      return #isMarked in object;
    }
  }
  const others = new WeakSet<object>();
  return {
    add: (object) => {
      if (!Object.isExtensible(object)) others.add(object);
      else if (!Mark.has(object)) void new Mark(object);
    },
    has: (object) => Mark.has(object) || others.has(object),
  };
}
