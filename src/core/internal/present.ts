type OptionalKey<Members> = {
  [Name in keyof Members]: undefined extends Members[Name] ? Name : never;
}[keyof Members];

/** Members of which those that may be undefined may be absent. */
export type Present<Members> = Omit<Members, OptionalKey<Members>> & {
  [Name in OptionalKey<Members>]?: Exclude<Members[Name], undefined>;
};

/** An object without the members that are undefined. Made for spreading a literal. */
export function present<Members extends object>(members: Members): Present<Members> {
  const kept: Partial<Members> = {};
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name];
  // What is left has its value, and what is gone is optional.
  return kept as Present<Members>;
}
