/** What an agent asks permission for, as it describes it. Untrusted text: parts of it may be from the model. */
export interface AcpPermissionRequest {
  /** What the agent shows for the call, such as a name or a command. */
  readonly title: string;
  /** Its kind, such as `execute`, `edit` or `other`; undefined when the agent does not say. */
  readonly kind: string | undefined;
  /** The arguments of the call as the agent has them. */
  readonly rawInput: unknown;
}

/** Decides about calls of the agent's own tools. May throw: the call is then rejected. */
export type AcpPermissions = (request: AcpPermissionRequest) => boolean;
