export interface StoredValue {
  read(): string | null;
  /** Null deletes the value. */
  write(value: string | null): void;
  /** Calls `callback` only for changes in other tabs. */
  onChange(callback: (value: string | null) => void): void;
}

/** In localStorage, or in memory if the browser blocks localStorage. */
export const storedValue = (name: string): StoredValue => {
  let inMemory: string | null = null;
  return {
    read() {
      try {
        return localStorage.getItem(name);
      } catch {
        return inMemory;
      }
    },
    write(value) {
      inMemory = value;
      try {
        if (value === null) localStorage.removeItem(name);
        else localStorage.setItem(name, value);
      } catch {
        // The value is kept in memory only.
      }
    },
    onChange(callback) {
      addEventListener('storage', ({ key, newValue }) => {
        if (key === name) callback(newValue);
      });
    },
  };
};
