/** The code of an error that the protocol has none for. */
const serverError = -32_000;

/** The body of an answer that says why a request got none. */
export interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  readonly id: string | number | null;
}

/** @param id that of the request; null when it is not known. */
export function jsonRpcError(
  message: string,
  { code = serverError, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): JsonRpcError {
  return { jsonrpc: '2.0', error: { code, message }, id };
}
