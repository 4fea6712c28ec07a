package secrets

const openNonblock = 0
