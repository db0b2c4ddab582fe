/** Identity of a prompt. */
export interface PromptDescriptor {
  /** Namespace: parts like a key, joined by `/`. */
  readonly ns: string;
  /** Key within the namespace. */
  readonly key: string;
  /** Name for people and logs. Default: the key. */
  readonly name: string;
}
