/** Set for a run that its parent may ask to end, by closing the pipe at the descriptor 3. */
export const watchedVariable = 'WINK_WATCHED';
