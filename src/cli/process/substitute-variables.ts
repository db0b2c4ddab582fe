/** A variable that a text names and that is not set. */
export interface MissingVariable {
  readonly missing: string;
}

/** `${NAME}`, or `${NAME:-default}`: the default, up to the first `}`, takes the place of a variable that is not set or empty. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The text with the values of the variables that it names; or the name of the first one that is not set and has no default. Values are not looked through again. */
export function substituteVariables(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): string | MissingVariable {
  let missing: string | undefined;
  const substituted = text.replace(reference, (_whole, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value === undefined) missing ??= name;
    return value ?? '';
  });
  return missing === undefined ? substituted : { missing };
}
