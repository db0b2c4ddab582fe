declare const placeholder: unique symbol;

/** Represents a param inside a template function. It can be interpolated, `${p.name}`, also quoted, `${quotedParam(p.name)}`, and nothing else. */
export interface Placeholder {
  readonly [placeholder]: true;
  /** The token that represents the param until its value is known. */
  toString(): string;
}

/** What a template function gets: one placeholder for every param of the section. */
export type Placeholders<Params> = { readonly [Key in keyof Params]-?: Placeholder };

// biome-ignore format: one line per alphabet
type NameCharacter =
  | 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z'
  | 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L' | 'M' | 'N' | 'O' | 'P' | 'Q' | 'R' | 'S' | 'T' | 'U' | 'V' | 'W' | 'X' | 'Y' | 'Z'
  | '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '_';

/** The longest name that `Text` starts with, and what follows it. */
type LeadingName<Text extends string, Name extends string = ''> = Text extends `${infer First}${infer Rest}`
  ? First extends NameCharacter
    ? LeadingName<Rest, `${Name}${First}`>
    : [name: Name, rest: Text]
  : [name: Name, rest: Text];

/**
 * The names in `$name`, `${name}` and `${quoted name}` of a literal template. `$$` is a dollar; a dollar that starts neither counts as the
 * name `'$'`, which no schema has. Nothing for a string that is not a literal: it is checked at construction only.
 */
export type PlaceholderNames<Text extends string, Names = never> = string extends Text
  ? never
  : Text extends `${string}$${infer Rest}`
    ? Rest extends `$${infer After}`
      ? PlaceholderNames<After, Names>
      : Rest extends `{${infer Name}}${infer After}`
        ? PlaceholderNames<After, Names | (Name extends `quoted ${infer Quoted}` ? Quoted : Name)>
        : LeadingName<Rest> extends [infer Name extends string, infer After extends string]
          ? PlaceholderNames<After, Names | (Name extends '' ? '$' : Name)>
          : Names
    : Names;

/** Shown by the compiler where a literal template uses a name that is not a param. Nothing has this type. */
export interface UnknownPlaceholder<Name> {
  readonly unknownPlaceholder: Name;
}

/** Param names as they are written in a text template. */
type ParamName<Params> = `${Extract<keyof Params, string | number>}`;

/**
 * A section's text: a function of placeholders, or a text with `$name` / `${name}` for params, `${quoted name}` for quoted ones
 * and `$$` for a dollar.
 * A name that is not a param is a compile error in both, for strings as far as they are literals.
 *
 * The function runs at construction, twice, with different stand-ins: it may interpolate and nothing else.
 */
export type TemplateSource<Text extends string, Params> =
  | ((placeholders: Placeholders<Params>) => string)
  | ([Exclude<PlaceholderNames<Text>, ParamName<Params>>] extends [never]
      ? Text
      : UnknownPlaceholder<Exclude<PlaceholderNames<Text>, ParamName<Params>>>);
