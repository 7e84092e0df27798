/** How deep JSON may be nested: the body of a request, and each row of a file. */
export const mostLevels = 32;
