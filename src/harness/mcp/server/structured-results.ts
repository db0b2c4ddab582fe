/** Whether results carry the value of a success as `structuredContent`, for all tools or for some. */
export type StructuredResults = boolean | ((toolName: string) => boolean);
