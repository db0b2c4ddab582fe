/** What the request of every command has. */
export interface CommandRequest<Kind extends string> {
  readonly kind: Kind;
  /** Whether the stack of an error is printed, too. */
  readonly isVerbose: boolean;
  /** Names of environment variables whose values are not shown. Default: none but those that are named like secrets. */
  readonly redact?: readonly string[] | undefined;
}
