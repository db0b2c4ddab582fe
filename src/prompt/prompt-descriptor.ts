/** Identity of a prompt. */
export interface PromptIdentity {
  /** Namespace: parts like a key, joined by `/`. */
  readonly ns: string;
  /** Key within the namespace. */
  readonly key: string;
  /** Name for people and logs. Default: the key. */
  readonly name: string;
}

/** Which texts of a section stand in its code. */
export interface SectionDescriptor {
  /** Dotted path. */
  readonly path: string;
  /** Such as `2.1`. */
  readonly number: string;
  /** Hash of the template's text; absent without a template. */
  readonly body?: string;
  /** Hash of the summary's text; absent without a summary. */
  readonly summary?: string;
}

/** Which texts of a tool stand in its code. */
export interface ToolDescriptor {
  readonly name: string;
  /** Dotted path of the section that brings it. */
  readonly sectionPath: string;
  /** Hash of what it takes and yields, without descriptions. */
  readonly contract: string;
  /** Hash of its description. */
  readonly description: string;
  /** Path of each parameter → hash of its description, of the empty text where it has none. */
  readonly params: Readonly<Record<string, string>>;
  /** Hash of its examples. */
  readonly examples: string;
}

/**
 * Identity of a prompt, and hashes of all texts of its code that may be overridden. Equal texts have equal hashes in every
 * process. Plain JSON.
 */
export interface PromptDescriptor extends PromptIdentity {
  /** Sections that accept overrides, in reading order. */
  readonly sections: readonly SectionDescriptor[];
  /** Tools that accept overrides, in sections that do, in order of declaration. */
  readonly tools: readonly ToolDescriptor[];
}
