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

/** The stand-ins of quoted params by those of the same params as they are. */
const quotedStandIns = new WeakMap<object, object>();

/** The stand-in of the same param, quoted; undefined for anything that is no stand-in. */
export function quotedStandIn(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? quotedStandIns.get(value) : undefined;
}

let tracesUnderWay = 0;

/** True while a template function runs on stand-ins, which it does in one go. */
export function isTracing(): boolean {
  return tracesUnderWay > 0;
}

/** Runs a template function on stand-ins. */
export function tracing<Result>(run: () => Result): Result {
  tracesUnderWay += 1;
  try {
    return run();
  } finally {
    tracesUnderWay -= 1;
  }
}

/**
 * Stands for one param, as it is or quoted. Becomes a token of its own each time it is turned into text, so that a token which is
 * not in the result shows what was done with it.
 */
export function standIn(name: string, refuse: RefuseTemplate, token: (isQuoted: boolean) => string): object {
  const plain = tokenObject(name, refuse, () => token(false));
  const quoted = tokenObject(name, refuse, () => token(true));
  for (const each of [plain, quoted]) quotedStandIns.set(each, quoted);
  return plain;
}

function tokenObject(name: string, refuse: RefuseTemplate, token: () => string): object {
  return Object.freeze({
    toString: token,
    toJSON: (): never =>
      refuse(`turns "${name}" into JSON; objects and lists are written as JSON anyway`, name),
    [Symbol.toPrimitive]: (hint: string): string =>
      hint === 'number' ? refuse(`computes with "${name}" where it may only interpolate it`, name) : token(),
  });
}

/** Says that a name is no param, and which there are. */
export function unknownName(name: string, names: ReadonlySet<string>): string {
  const known = [...names].sort().map((each) => `"${each}"`);
  const hint = known.length === 0 ? 'the section declares no params' : `params are ${known.join(', ')}`;
  return `uses "${name}", which is no param: ${hint}`;
}
