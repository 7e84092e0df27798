/** Networks are told apart by this form of their names: trimmed, case ignored, composed characters (decisions 9). */
export const networkNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
