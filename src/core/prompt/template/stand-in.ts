/**
 * Refuses a template.
 * @param problem predicate about the template, such as `returned a number`.
 * @param name the param it is about; empty for none.
 */
export type RefuseTemplate = (problem: string, name: string, cause?: unknown) => never;

/**
 * The object that a template function gets: answers with a stand-in for every param there is, and refuses every other
 * question.
 *
 * @param names params there are; `undefined`: any.
 */
export function standIns(
  names: ReadonlySet<string> | undefined,
  refuse: RefuseTemplate,
  read: (name: string) => object,
): object {
  const listed = (): never => refuse('lists its placeholders; it may only interpolate them by name', '');
  return new Proxy(Object.freeze({}), {
    get: (_target, name) => {
      if (typeof name === 'symbol') return undefined;
      if (names !== undefined && !names.has(name)) refuse(unknownName(name, names), name);
      if (name.includes('}')) refuse(`uses "${name}", which has a "}"; rename the param`, name);
      if (name.startsWith('quoted '))
        refuse(`uses "${name}", which begins as a quoted param is written; rename the param`, name);
      return read(name);
    },
    has: listed,
    ownKeys: listed,
    getOwnPropertyDescriptor: listed,
  });
}

/** Maps the stand-in of a param to that of the same param, quoted. */
const quotedForm = Symbol('quoted form');

/** The stand-in of the same param, quoted; undefined for anything but a stand-in. */
export function quotedStandIn(value: unknown): object | undefined {
  // Nothing but what is made below has the symbol.
  return typeof value === 'object' && value !== null
    ? (value as { readonly [quotedForm]?: object })[quotedForm]
    : undefined;
}

/**
 * Represents one param, unquoted or quoted. Becomes a token of its own each time it is turned into text, so that a token which is
 * not in the result shows what was done with it.
 */
export function standIn(name: string, refuse: RefuseTemplate, token: (isQuoted: boolean) => string): object {
  const quoted: object = tokenObject(
    name,
    refuse,
    () => token(true),
    () => quoted,
  );
  return tokenObject(
    name,
    refuse,
    () => token(false),
    () => quoted,
  );
}

function tokenObject(
  name: string,
  refuse: RefuseTemplate,
  token: () => string,
  quotedOne: () => object,
): object {
  return Object.freeze({
    toString: token,
    toJSON: (): never =>
      refuse(`turns "${name}" into JSON; objects and lists are written as JSON anyway`, name),
    [Symbol.toPrimitive]: (hint: string): string =>
      hint === 'number'
        ? refuse(
            `computes with "${name}" where it may only interpolate it; use "render", which gets the params themselves`,
            name,
          )
        : token(),
    get [quotedForm]() {
      return quotedOne();
    },
  });
}

/** Reports that a name is not a param, and which params there are. */
export function unknownName(name: string, names: ReadonlySet<string>): string {
  const known = [...names].sort().map((each) => `"${each}"`);
  const hint = known.length === 0 ? 'the section declares no params' : `params are ${known.join(', ')}`;
  return `uses "${name}", which is not a param: ${hint}`;
}
